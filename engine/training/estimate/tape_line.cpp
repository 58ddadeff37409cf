#include "engine/training/estimate/tape_line.hpp"

#include "engine/training/allocator/caching_allocator.hpp"
#include "engine/training/tape/reduction.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::training {
namespace {

Reduction reduction_at(const TapeLine::Place& place, std::int64_t batch) {
    return {.kind = place.kind, .rows = place.rows.at(batch), .columns = place.columns.at(batch)};
}

// The scratch of the first step's reductions, as the work counts it.
Work work_of_scratch(const std::vector<TapeLine::Place>& places, std::size_t count,
                     std::int64_t batch, const TapeDevice& device) {
    Work work;
    for (std::size_t i = 0; i < count; ++i)
        for (const auto bytes : scratch_needed(device, reduction_at(places[i], batch))) {
            if (bytes <= 0) continue;
            work.moved_bytes += 2.0 * static_cast<double>(bytes);
            ++work.kernels;
        }
    return work;
}

std::optional<TapeLine::Size> line_through(std::int64_t low, std::int64_t low_batch,
                                           std::int64_t high, std::int64_t high_batch) {
    const auto slope = (high - low) / (high_batch - low_batch);
    const TapeLine::Size line{low - slope * low_batch, slope};
    if (line.at(high_batch) != high) return std::nullopt;
    return line;
}

// Work only has to be so: speed is modelled.
bool about(double a, double b) {
    return std::abs(a - b) <= 1e-3 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

TapeLine::TapeLine(const Tape& tape, std::int64_t batch, const TapeDevice& device)
    : low_(batch), high_(batch) {
    std::vector<std::int32_t> names(tape.buffers.size(), 0);
    steps_.reserve(tape.setup.size() + tape.first.size() + tape.later.size());
    sizes_.reserve(tape.buffers.size());
    const auto add = [&](const std::vector<Event>& list, const std::vector<Reduction>& reductions) {
        auto next = reductions.begin();
        for (std::size_t i = 0; i <= list.size(); ++i) {
            for (; next != reductions.end() && next->begin == i; ++next) {
                places_.push_back({static_cast<std::int32_t>(steps_.size()),
                                   next->kind,
                                   {next->rows},
                                   {next->columns}});
                i = next->end;
            }
            if (i >= list.size()) break;
            auto& name = names[static_cast<std::size_t>(list[i].buffer)];
            if (name == 0) {
                const auto& buffer = tape.buffers[static_cast<std::size_t>(list[i].buffer)];
                sizes_.push_back({buffer.bytes});
                streams_.push_back(buffer.stream);
                name = static_cast<std::int32_t>(sizes_.size());
            }
            steps_.push_back(list[i].allocates ? name : -name);
        }
    };
    add(tape.setup, {});
    add(tape.first, tape.first_reductions);
    first_later_ = steps_.size();
    first_later_place_ = places_.size();
    add(tape.later, tape.later_reductions);
    for (const auto& sums : tape.partial_sums) {
        const auto slot =
            static_cast<std::size_t>(names[static_cast<std::size_t>(sums.buffer)] - 1);
        sizes_[slot] = {};
        sums_.push_back({slot, {sums.rows}, sums.table, sums.width});
    }
    work_ = tape.work;
    const auto scratch = work_of_scratch(places_, first_later_place_, batch, device);
    work_.moved_bytes -= scratch.moved_bytes;
    work_.kernels -= scratch.kernels;
}

bool TapeLine::same_steps(const TapeLine& other) const {
    const auto same_place = [](const Place& a, const Place& b) {
        return a.at == b.at && a.kind == b.kind;
    };
    const auto same_sums = [](const Sums& a, const Sums& b) {
        return a.slot == b.slot && a.table == b.table && a.width == b.width;
    };
    return steps_ == other.steps_ && streams_ == other.streams_ &&
           std::ranges::equal(sums_, other.sums_, same_sums) &&
           first_later_ == other.first_later_ && first_later_place_ == other.first_later_place_ &&
           work_.kernels == other.work_.kernels && work_.recomputed == other.work_.recomputed &&
           std::ranges::equal(places_, other.places_, same_place);
}

std::optional<TapeLine> TapeLine::through(const TapeLine& low, const TapeLine& high) {
    if (!low.same_steps(high) || low.low_ >= high.low_) return std::nullopt;
    TapeLine out = high;
    out.low_ = low.low_;
    out.digest_.reset();
    const auto line = [&](const Size& a, const Size& b) {
        return line_through(a.base, low.low_, b.base, high.low_);
    };
    for (std::size_t i = 0; i < out.sizes_.size(); ++i) {
        const auto size = line(low.sizes_[i], high.sizes_[i]);
        if (!size) return std::nullopt;
        out.sizes_[i] = *size;
    }
    for (std::size_t i = 0; i < out.sums_.size(); ++i) {
        const auto rows = line(low.sums_[i].rows, high.sums_[i].rows);
        if (!rows) return std::nullopt;
        out.sums_[i].rows = *rows;
    }
    for (std::size_t i = 0; i < out.places_.size(); ++i) {
        const auto rows = line(low.places_[i].rows, high.places_[i].rows);
        const auto columns = line(low.places_[i].columns, high.places_[i].columns);
        if (!rows || !columns) return std::nullopt;
        out.places_[i].rows = *rows;
        out.places_[i].columns = *columns;
    }
    const auto batches = static_cast<double>(high.low_ - low.low_);
    const auto grow = [&](double Work::* member) {
        out.growth_.*member = (high.work_.*member - low.work_.*member) / batches;
        out.work_.*member = low.work_.*member - out.growth_.*member * static_cast<double>(low.low_);
    };
    grow(&Work::matmul_flops);
    grow(&Work::moved_bytes);
    grow(&Work::product_elements);
    return out;
}

bool TapeLine::extend(const TapeLine& one) {
    if (!same_steps(one)) return false;
    const auto batch = one.low_;
    for (std::size_t i = 0; i < sizes_.size(); ++i)
        if (sizes_[i].at(batch) != one.sizes_[i].base) return false;
    for (std::size_t i = 0; i < sums_.size(); ++i)
        if (sums_[i].rows.at(batch) != one.sums_[i].rows.base) return false;
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (places_[i].rows.at(batch) != one.places_[i].rows.base ||
            places_[i].columns.at(batch) != one.places_[i].columns.base)
            return false;
    for (const auto member : {&Work::matmul_flops, &Work::moved_bytes, &Work::product_elements})
        if (!about(work_.*member + growth_.*member * static_cast<double>(batch), one.work_.*member))
            return false;
    low_ = std::min(low_, batch);
    high_ = std::max(high_, batch);
    return true;
}

void TapeLine::mix_digest() const {
    std::uint64_t digest = first_later_;
    const auto mix = [&](std::int64_t value) {
        digest = (digest ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15U;
        digest = digest << 29 | digest >> 35;
    };
    for (const auto step : steps_) mix(step);
    for (const auto stream : streams_) mix(static_cast<std::int64_t>(stream));
    for (const auto& size : sizes_) {
        mix(size.base);
        mix(size.slope);
    }
    for (const auto& sums : sums_) {
        mix(static_cast<std::int64_t>(sums.slot));
        mix(sums.rows.base);
        mix(sums.rows.slope);
        mix(sums.table);
        mix(sums.width);
    }
    for (const auto& place : places_) {
        mix(place.at);
        mix(static_cast<std::int64_t>(place.kind));
        for (const auto& size : {place.rows, place.columns}) {
            mix(size.base);
            mix(size.slope);
        }
    }
    digest_ = digest;
}

void TapeLine::sizes_at(std::int64_t batch, std::vector<std::int64_t>& rounded) const {
    rounded.resize(sizes_.size());
    for (std::size_t i = 0; i < sizes_.size(); ++i)
        rounded[i] = CachingAllocator::rounded(sizes_[i].at(batch));
    for (const auto& sums : sums_) {
        const PartialSums there{
            .rows = sums.rows.at(batch), .table = sums.table, .width = sums.width};
        rounded[sums.slot] = CachingAllocator::rounded(there.bytes());
    }
}

void TapeLine::scratch_at(std::int64_t batch, const TapeDevice& device,
                          std::vector<Scratch>& rounded) const {
    rounded.resize(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const auto needed = scratch_needed(device, reduction_at(places_[i], batch));
        rounded[i] = {CachingAllocator::rounded(needed[0]), CachingAllocator::rounded(needed[1])};
    }
}

Work TapeLine::work_at(std::int64_t batch, const TapeDevice& device) const {
    Work out = work_;
    for (const auto member : {&Work::matmul_flops, &Work::moved_bytes, &Work::product_elements})
        out.*member += growth_.*member * static_cast<double>(batch);
    const auto scratch = work_of_scratch(places_, first_later_place_, batch, device);
    out.moved_bytes += scratch.moved_bytes;
    out.kernels += scratch.kernels;
    return out;
}

std::int64_t TapeLine::peak_alive(std::int64_t batch) const { return alive(batch).max; }

std::int64_t TapeLine::standing(std::int64_t batch) const { return alive(batch).last; }

TapeLine::Alive TapeLine::alive(std::int64_t batch) const {
    std::vector<std::int64_t> sizes;
    sizes_at(batch, sizes);
    Alive out;
    for (const auto step : steps_) {
        const auto bytes = sizes[static_cast<std::size_t>(std::abs(step) - 1)];
        out.last += step > 0 ? bytes : -bytes;
        out.max = std::max(out.max, out.last);
    }
    return out;
}

}  // namespace plimsoll::training
