#include "server/kinds/sentiment/run/aggregate.hpp"

#include "server/kinds/sentiment/run/task_output_builder.hpp"

#include <algorithm>
#include <cstdlib>

namespace plimsoll::jobs::sentiment {
namespace {

// Stronger sentiment first, then input order.
bool stronger(const Extreme& a, const Extreme& b) {
    const std::int64_t x = std::abs(a.compound);
    const std::int64_t y = std::abs(b.compound);
    return x != y ? x > y : a.index < b.index;
}

// Least certain first, then input order.
bool less_certain(const Extreme& a, const Extreme& b) {
    return a.certainty != b.certainty ? a.certainty < b.certainty : a.index < b.index;
}

std::size_t bin_of(std::int64_t compound) {
    constexpr std::int64_t kWidth =
        2 * kCompoundScale / static_cast<std::int64_t>(Aggregate::kBins);
    const auto bin = static_cast<std::size_t>((compound + kCompoundScale) / kWidth);
    return std::min(bin, Aggregate::kBins - 1);
}

std::optional<std::string> owned(std::optional<std::string_view> id) {
    return id ? std::optional<std::string>(*id) : std::nullopt;
}

}  // namespace

void Aggregate::add(const text::RecordView& record, const TextScores& scores) {
    const std::int64_t compound = scores.compound;
    ++labels_[static_cast<std::size_t>(scores.label)];
    ++bins_[bin_of(compound)];
    sum_ += compound;
    sum_of_squares_ += compound * compound;
    minimum_ = std::min(minimum_, compound);
    maximum_ = std::max(maximum_, compound);
    if (scores.label == Label::positive) offer(most_positive_, record, scores, stronger);
    if (scores.label == Label::negative) offer(most_negative_, record, scores, stronger);
    if (scores.tokens) add_reading(scores);
    if (scores.tokens && !scores.duplicate) offer(least_certain_, record, scores, less_certain);
    const auto seconds = seconds_of(record.attributes[text::Attribute::time]);
    by_source_.add(record.attributes[text::Attribute::source], seconds, scores);
    by_group_.add(record.attributes[text::Attribute::group], seconds, scores);
    over_time_.add(seconds, scores);
}

void Aggregate::add_reading(const TextScores& scores) {
    tokens_ += *scores.tokens;
    truncated_ += scores.truncated ? 1 : 0;
    if (scores.windows > 1) {
        ++windowed_;
        windows_ += scores.windows;
    }
    duplicates_ += scores.duplicate ? 1 : 0;
}

void Aggregate::offer(std::vector<Extreme>& list, const text::RecordView& record,
                      const TextScores& scores, Before before) {
    const auto certainty = std::max({scores.positive, scores.neutral, scores.negative});
    // Does not copy a text that will not be kept.
    const Extreme probe{.index = record.index,
                        .custom_id = {},
                        .compound = scores.compound,
                        .certainty = certainty,
                        .text = {}};
    if (list.size() == kExtremes && !before(probe, list.back())) return;
    const auto text = excerpt(record.text);
    const auto covers = [&](const Extreme& e) { return e.text == text && !before(probe, e); };
    if (std::ranges::any_of(list, covers)) return;
    add_extreme(
        list,
        {record.index, owned(record.custom_id), scores.compound, certainty, std::string(text)},
        before);
}

void Aggregate::add_extreme(std::vector<Extreme>& list, Extreme extreme, Before before) {
    // A text is listed once, however often it occurs.
    const auto copy = std::ranges::find(list, extreme.text, &Extreme::text);
    if (copy != list.end()) {
        if (!before(extreme, *copy)) return;
        list.erase(copy);
    }
    list.insert(std::ranges::upper_bound(list, extreme, before), std::move(extreme));
    if (list.size() > kExtremes) list.pop_back();
}

void Aggregate::add_failed(const text::RecordView& record) {
    if (failed_.size() == kFailed) return;
    failed_.push_back({record.index, record.line, owned(record.custom_id),
                       std::string(record.error_code), std::string(record.error_message)});
}

void Aggregate::add(const Aggregate& later) {
    for (std::size_t i = 0; i < labels_.size(); ++i) labels_[i] += later.labels_[i];
    for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += later.bins_[i];
    sum_ += later.sum_;
    sum_of_squares_ += later.sum_of_squares_;
    minimum_ = std::min(minimum_, later.minimum_);
    maximum_ = std::max(maximum_, later.maximum_);
    for (const Extreme& extreme : later.most_positive_)
        add_extreme(most_positive_, extreme, stronger);
    for (const Extreme& extreme : later.most_negative_)
        add_extreme(most_negative_, extreme, stronger);
    for (const Extreme& extreme : later.least_certain_)
        add_extreme(least_certain_, extreme, less_certain);
    tokens_ += later.tokens_;
    truncated_ += later.truncated_;
    windowed_ += later.windowed_;
    windows_ += later.windows_;
    duplicates_ += later.duplicates_;
    choices_.add(later.choices_);
    devices_.add(later.devices_);
    by_source_.add(later.by_source_);
    by_group_.add(later.by_group_);
    over_time_.add(later.over_time_);
    if (comparison_ && later.comparison_)
        comparison_->add(*later.comparison_);
    else if (later.comparison_)
        comparison_ = later.comparison_;
    for (const Failed& failed : later.failed_)
        if (failed_.size() < kFailed) failed_.push_back(failed);
}

}  // namespace plimsoll::jobs::sentiment
