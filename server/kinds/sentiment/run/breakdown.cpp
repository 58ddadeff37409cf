#include "server/kinds/sentiment/run/breakdown.hpp"

#include "engine/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace plimsoll::jobs::sentiment {
namespace {

std::int64_t start_of(std::int64_t seconds, Series::Unit unit) {
    using namespace std::chrono;
    const sys_seconds moment{std::chrono::seconds(seconds)};
    if (unit == Series::Unit::hour) return floor<hours>(moment).time_since_epoch() / 1s;
    const auto day = floor<days>(moment);
    if (unit == Series::Unit::day) return sys_seconds(day).time_since_epoch() / 1s;
    const year_month_day date(day);
    const auto month = unit == Series::Unit::year ? January : date.month();
    return sys_seconds(sys_days(date.year() / month / 1)).time_since_epoch() / 1s;
}

constexpr std::array kUnits = {"hour", "day", "month", "year"};

}  // namespace

void LabelCounts::add(const TextScores& scores) {
    ++labels[static_cast<std::size_t>(scores.label)];
    sum += scores.compound;
}

void LabelCounts::add(const LabelCounts& other) {
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] += other.labels[i];
    sum += other.sum;
}

json LabelCounts::summary() const {
    const double mean = static_cast<double>(sum) /
                        static_cast<double>(std::max<std::int64_t>(texts(), 1) * kCompoundScale);
    return {{"texts", texts()},
            {"positive", labels[0]},
            {"neutral", labels[1]},
            {"negative", labels[2]},
            {"mean", std::round(mean * 1e6) / 1e6}};
}

void Breakdown::bound() {
    if (names_.size() > kNames) too_many_ = true;
    if (too_many_) names_.clear();
}

void Breakdown::add(std::optional<std::string_view> name, const TextScores& scores) {
    if (!name) {
        unnamed_.add(scores);
    } else if (!too_many_) {
        auto known = names_.find(*name);
        if (known == names_.end()) known = names_.emplace(*name, LabelCounts{}).first;
        known->second.add(scores);
        bound();
    }
}

void Breakdown::add(const Breakdown& other) {
    unnamed_.add(other.unnamed_);
    too_many_ = too_many_ || other.too_many_;
    for (const auto& [name, counts] : other.names_) names_[name].add(counts);
    bound();
}

json Breakdown::summary() const {
    if (names_.empty() && !too_many_) return nullptr;
    using Named =
        std::pair<const std::string*, const LabelCounts*>;  // no name: of the texts without
    std::vector<Named> sorted;
    for (const auto& [name, counts] : names_) sorted.emplace_back(&name, &counts);
    if (!too_many_ && unnamed_.texts() > 0) sorted.emplace_back(nullptr, &unnamed_);
    std::ranges::sort(sorted, [](const Named& a, const Named& b) {
        if (a.second->texts() != b.second->texts()) return a.second->texts() > b.second->texts();
        if (a.first == nullptr || b.first == nullptr)
            return b.first == nullptr && a.first != nullptr;
        return *a.first < *b.first;
    });
    auto groups = json::array();
    for (const auto& [name, counts] : sorted) {
        groups.push_back(counts->summary());
        groups.back()["name"] = name == nullptr ? json(nullptr) : json(*name);
    }
    return {{"groups", std::move(groups)}, {"too_many", too_many_}};
}

void Series::coarsen(Unit unit) {
    unit_ = unit;
    auto finer = std::exchange(points_, {});
    for (const auto& [from, counts] : finer) points_[start_of(from, unit)].add(counts);
}

void Series::bound() {
    while (points_.size() > kPoints && unit_ != Unit::year)
        coarsen(static_cast<Unit>(static_cast<int>(unit_) + 1));
}

void Series::add(std::optional<std::string_view> time, const TextScores& scores) {
    const auto moment = time ? parse_rfc3339(std::string(*time)) : std::nullopt;
    if (!moment) {
        ++undated_;
        return;
    }
    const auto seconds = std::chrono::floor<std::chrono::seconds>(*moment).time_since_epoch();
    points_[start_of(seconds.count(), unit_)].add(scores);
    bound();
}

void Series::add(const Series& other) {
    undated_ += other.undated_;
    if (other.unit_ > unit_) coarsen(other.unit_);
    for (const auto& [from, counts] : other.points_) points_[start_of(from, unit_)].add(counts);
    bound();
}

json Series::summary() const {
    if (points_.empty()) return nullptr;
    auto points = json::array();
    for (const auto& [from, counts] : points_) {
        points.push_back(counts.summary());
        points.back()["from"] = to_rfc3339(Timestamp(std::chrono::seconds(from)));
    }
    return {{"unit", kUnits[static_cast<std::size_t>(unit_)]},
            {"points", std::move(points)},
            {"undated", undated_}};
}

}  // namespace plimsoll::jobs::sentiment
