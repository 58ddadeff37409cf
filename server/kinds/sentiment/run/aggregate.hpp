#pragma once

#include "engine/text/record_block.hpp"
#include "server/kinds/sentiment/contract/args.hpp"
#include "server/kinds/sentiment/run/breakdown.hpp"
#include "server/kinds/sentiment/run/comparison/comparison.hpp"
#include "server/kinds/sentiment/run/counters.hpp"
#include "server/kinds/sentiment/run/scores.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::jobs::sentiment {

struct Extreme {
    std::uint64_t index = 0;
    std::optional<std::string> custom_id;
    std::int64_t compound = 0;
    std::int64_t certainty = 0;  // probability of the label, in the units of compound
    std::string text;            // the beginning

    static void members(auto& visit, auto& self) {
        visit("index", self.index);
        visit("custom_id", self.custom_id);
        visit("compound", self.compound);
        visit("certainty", self.certainty);
        visit("text", self.text);
    }
};

struct Failed {
    std::uint64_t index = 0;
    std::uint64_t line = 0;  // see text::Record
    std::optional<std::string> custom_id;
    std::string code;
    std::string message;

    static void members(auto& visit, auto& self) {
        visit("index", self.index);
        visit("line", self.line);
        visit("custom_id", self.custom_id);
        visit("code", self.code);
        visit("message", self.message);
    }
};

// The statistics of all texts of a job. Adding one task's aggregate to another's, in task order,
// gives the aggregate of both.
class Aggregate {
  public:
    static constexpr std::size_t kBins = 40;
    static constexpr std::size_t kExtremes = 10;
    static constexpr std::size_t kFailed = 20;

    void add(const text::RecordView& record, const TextScores& scores);
    // The policy's choice for a text that was added.
    void add(const Choice& choice) { choices_.add(choice, 1); }
    void add_failed(const text::RecordView& record);
    void add(const DeviceUsed& device, std::int64_t texts) {
        if (texts > 0) devices_.add(device, texts);
    }
    void set(Comparison comparison) { comparison_ = std::move(comparison); }
    void add(const Aggregate& later);

    // The report's summary: JSON text.
    std::string summary(const Args& args) const;

    // As stored between a task and the merge: below 64 KiB.
    static void members(auto& visit, auto& self) {
        visit("labels", self.labels_);
        visit("bins", self.bins_);
        visit("sum", self.sum_);
        visit("sum_of_squares", self.sum_of_squares_);
        visit("minimum", self.minimum_);
        visit("maximum", self.maximum_);
        visit("most_positive", self.most_positive_);
        visit("most_negative", self.most_negative_);
        visit("least_certain", self.least_certain_);
        visit("tokens", self.tokens_);
        visit("truncated", self.truncated_);
        visit("windowed", self.windowed_);
        visit("windows", self.windows_);
        visit("duplicates", self.duplicates_);
        visit("failed", self.failed_);
        visit("choices", self.choices_);
        visit("devices", self.devices_);
        visit("comparison", self.comparison_);
        visit("by_source", self.by_source_);
        visit("by_group", self.by_group_);
        visit("over_time", self.over_time_);
    }

  private:
    using Before = bool (*)(const Extreme&, const Extreme&);
    static void add_extreme(std::vector<Extreme>& list, Extreme extreme, Before before);
    static void offer(std::vector<Extreme>& list, const text::RecordView& record,
                      const TextScores& scores, Before before);
    void add_reading(const TextScores& scores);

    std::array<std::int64_t, 3> labels_{};  // by Label
    std::array<std::int64_t, kBins> bins_{};
    std::int64_t sum_ = 0;
    std::int64_t sum_of_squares_ = 0;  // at most 10^8 per item: room for 9 * 10^10 items
    std::int64_t minimum_ = kCompoundScale;
    std::int64_t maximum_ = -kCompoundScale;
    std::vector<Extreme> most_positive_;  // strongest first; ties in order of arrival
    std::vector<Extreme> most_negative_;
    std::vector<Extreme> least_certain_;  // for models with probabilities
    // For models with tokens; duplicates are counted per task.
    std::int64_t tokens_ = 0;
    std::int64_t truncated_ = 0;
    std::int64_t windowed_ = 0;  // texts in several windows
    std::int64_t windows_ = 0;   // of these
    std::int64_t duplicates_ = 0;
    std::vector<Failed> failed_;  // the first ones
    Counter<Choice> choices_;     // of a policy
    Counter<DeviceUsed> devices_;
    std::optional<Comparison> comparison_;
    Breakdown by_source_;
    Breakdown by_group_;
    Series over_time_;
};

}  // namespace plimsoll::jobs::sentiment
