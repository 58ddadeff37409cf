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

double mean_of(std::int64_t sum, std::int64_t texts) {
    const double mean = static_cast<double>(sum) /
                        static_cast<double>(std::max<std::int64_t>(texts, 1) * kCompoundScale);
    return std::round(mean * 1e6) / 1e6;
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
    return {{"texts", texts()},
            {"positive", labels[0]},
            {"neutral", labels[1]},
            {"negative", labels[2]},
            {"mean", mean_of(sum, texts())}};
}

void LastDay::add(const LastDay& other) {
    texts_before += other.texts_before;
    sum_before += other.sum_before;
    if (other.from < from) {
        texts_before += other.texts;
        sum_before += other.sum;
        return;
    }
    if (other.from > from) {
        texts_before += std::exchange(texts, 0);
        sum_before += std::exchange(sum, 0);
        from = other.from;
    }
    texts += other.texts;
    sum += other.sum;
}

json LastDay::summary() const {
    if (texts_before == 0) return nullptr;
    return {{"from", to_rfc3339(Timestamp(std::chrono::seconds(from)))},
            {"texts", texts},
            {"mean", mean_of(sum, texts)},
            {"before", mean_of(sum_before, texts_before)}};
}

void Group::add(const Group& other) {
    counts.add(other.counts);
    if (last && other.last)
        last->add(*other.last);
    else if (other.last)
        last = other.last;
}

void Breakdown::bound() {
    if (names_.size() > kNames) too_many_ = true;
    if (too_many_) names_.clear();
}

void Breakdown::add(std::optional<std::string_view> name, std::optional<std::int64_t> seconds,
                    const TextScores& scores) {
    Group one;
    one.counts.add(scores);
    if (seconds)
        one.last = LastDay{.from = start_of(*seconds, Series::Unit::day),
                           .texts = 1,
                           .sum = scores.compound,
                           .texts_before = 0,
                           .sum_before = 0};
    if (!name) {
        unnamed_.add(one);
    } else if (!too_many_) {
        auto known = names_.find(*name);
        if (known == names_.end()) known = names_.emplace(*name, Group{}).first;
        known->second.add(one);
        bound();
    }
}

void Breakdown::add(const Breakdown& other) {
    unnamed_.add(other.unnamed_);
    too_many_ = too_many_ || other.too_many_;
    for (const auto& [name, group] : other.names_) names_[name].add(group);
    bound();
}

json Breakdown::summary() const {
    if (names_.empty() && !too_many_) return nullptr;
    using Named = std::pair<const std::string*, const Group*>;  // no name: of the texts without
    std::vector<Named> sorted;
    for (const auto& [name, group] : names_) sorted.emplace_back(&name, &group);
    if (!too_many_ && unnamed_.counts.texts() > 0) sorted.emplace_back(nullptr, &unnamed_);
    std::ranges::sort(sorted, [](const Named& a, const Named& b) {
        const auto texts = [](const Named& one) { return one.second->counts.texts(); };
        if (texts(a) != texts(b)) return texts(a) > texts(b);
        if (a.first == nullptr || b.first == nullptr)
            return b.first == nullptr && a.first != nullptr;
        return *a.first < *b.first;
    });
    auto groups = json::array();
    for (const auto& [name, group] : sorted) {
        groups.push_back(group->counts.summary());
        groups.back()["name"] = name == nullptr ? json(nullptr) : json(*name);
        groups.back()["change"] = group->last ? group->last->summary() : json(nullptr);
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

std::optional<std::int64_t> seconds_of(std::optional<std::string_view> time) {
    const auto moment = time ? parse_rfc3339(std::string(*time)) : std::nullopt;
    if (!moment) return std::nullopt;
    return std::chrono::floor<std::chrono::seconds>(moment->time_since_epoch()).count();
}

void Series::add(std::optional<std::int64_t> seconds, const TextScores& scores) {
    if (!seconds) {
        ++undated_;
        return;
    }
    points_[start_of(*seconds, unit_)].add(scores);
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
