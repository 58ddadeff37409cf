#include "server/jobs/sentiment/run/aggregate.hpp"

#include "server/jobs/sentiment/run/excerpt.hpp"

#include <algorithm>
#include <cstdlib>

namespace plimsoll::jobs::sentiment {
namespace {

constexpr std::int64_t kLabelThreshold = 500;  // 0.05

// Stronger sentiment first, then input order.
bool stronger(const Extreme& a, const Extreme& b) {
    const std::int64_t x = std::abs(a.compound);
    const std::int64_t y = std::abs(b.compound);
    return x != y ? x > y : a.index < b.index;
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

std::string_view to_string(Label label) {
    switch (label) {
        case Label::positive:
            return "positive";
        case Label::neutral:
            return "neutral";
        case Label::negative:
            return "negative";
    }
    return "neutral";
}

Label label_of(std::int64_t compound) {
    if (compound >= kLabelThreshold) return Label::positive;
    if (compound <= -kLabelThreshold) return Label::negative;
    return Label::neutral;
}

void Aggregate::add(const text::RecordView& record, std::int64_t compound) {
    const Label label = label_of(compound);
    ++labels_[static_cast<std::size_t>(label)];
    ++bins_[bin_of(compound)];
    sum_ += compound;
    sum_of_squares_ += compound * compound;
    minimum_ = std::min(minimum_, compound);
    maximum_ = std::max(maximum_, compound);
    if (label == Label::neutral) return;
    auto& list = label == Label::positive ? most_positive_ : most_negative_;
    // Copies nothing of a text that will not be kept.
    const Extreme probe{.index = record.index, .custom_id = {}, .compound = compound, .text = {}};
    if (list.size() == kExtremes && !stronger(probe, list.back())) return;
    add_extreme(
        list, {record.index, owned(record.custom_id), compound, std::string(excerpt(record.text))});
}

void Aggregate::add_extreme(std::vector<Extreme>& list, Extreme extreme) {
    list.insert(std::ranges::upper_bound(list, extreme, stronger), std::move(extreme));
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
    for (const Extreme& extreme : later.most_positive_) add_extreme(most_positive_, extreme);
    for (const Extreme& extreme : later.most_negative_) add_extreme(most_negative_, extreme);
    for (const Failed& failed : later.failed_) {
        if (failed_.size() < kFailed) failed_.push_back(failed);
    }
}

}  // namespace plimsoll::jobs::sentiment
