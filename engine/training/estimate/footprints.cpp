#include "engine/training/estimate/footprints.hpp"

#include <iterator>

namespace plimsoll::training {

const TapeLine& RunTapes::at(std::int64_t batch) {
    for (const auto& line : lines_)
        if (line.covers(batch)) return line;
    const auto known = single_.find(batch);
    return known != single_.end() ? known->second : record(batch);
}

const TapeLine& RunTapes::record(std::int64_t batch) {
    auto settings = settings_;
    settings.batch = batch;
    TapeLine one(record_tape(shape_, settings, device_), batch, device_);
    for (auto& line : lines_)
        if (line.extend(one)) return line;
    const auto added = single_.emplace(batch, std::move(one)).first;
    const auto* line = draw_line(added);
    return line != nullptr ? *line : added->second;
}

// Through the tape and its neighbours on no line: two give it, the one between them confirms it.
const TapeLine* RunTapes::draw_line(Singles::iterator added) {
    constexpr int points = 3;
    auto first = added;
    for (int back = 1; back < points && first != single_.begin(); ++back) --first;
    for (;; ++first) {
        auto last = first;
        for (int on = 1; on < points; ++on)
            if (++last == single_.end()) return nullptr;
        if (auto line = TapeLine::through(first->second, last->second);
            line && line->extend(std::next(first)->second)) {
            single_.erase(first, std::next(last));
            return &lines_.emplace_back(std::move(*line));
        }
        if (first == added) return nullptr;
    }
}

std::int64_t FootprintByBatch::reserved(std::int64_t batch) {
    const auto known = reserved_.find(batch);
    if (known != reserved_.end()) return known->second;
    work(batch);
    return reserved_.emplace(batch, glance(batch)).first->second;
}

std::int64_t FootprintByBatch::glance(std::int64_t batch) {
    return peaks_(tapes_.at(batch), batch, device_, options_);
}

const Work& FootprintByBatch::work(std::int64_t batch) {
    const auto known = works_.find(batch);
    if (known != works_.end()) return known->second;
    return works_.emplace(batch, tapes_.at(batch).work_at(batch, device_)).first->second;
}

void FootprintByBatch::learn(std::int64_t batch, const Estimate& estimate) {
    works_.emplace(batch, estimate.work);
    reserved_.emplace(batch, estimate.peak_reserved);
}

}  // namespace plimsoll::training
