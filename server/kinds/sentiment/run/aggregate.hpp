#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record_block.hpp"
#include "server/kinds/sentiment/run/breakdown.hpp"
#include "server/kinds/sentiment/run/comparison/comparison.hpp"
#include "server/kinds/sentiment/run/scores.hpp"
#include "server/kinds/sentiment/run/tally/choices.hpp"
#include "server/kinds/sentiment/run/tally/devices_used.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::jobs::sentiment {

struct Extreme {
    std::uint64_t index = 0;
    std::optional<std::string> custom_id;
    std::int64_t compound = 0;
    std::int64_t certainty = 0;  // probability of the label, in the units of compound
    std::string text;            // the beginning
};

struct Failed {
    std::uint64_t index = 0;
    std::uint64_t line = 0;  // see text::Record
    std::optional<std::string> custom_id;
    std::string code;
    std::string message;
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
    void add(const Choice& choice) { choices_.add(choice); }
    void add_failed(const text::RecordView& record);
    void add(const DeviceUsed& device, std::int64_t items) { devices_.add(device, items); }
    void set(Comparison comparison) { comparison_ = std::move(comparison); }
    void add(const Aggregate& later);

    // For storage between a task and the merge: below 64 KiB.
    std::string to_json() const;
    static Result<Aggregate> from_json(std::string_view text);

    // The report's summary; `args` are the plan's.
    std::string summary(const nlohmann::json& args) const;

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
    Choices choices_;             // of a policy
    DevicesUsed devices_;
    std::optional<Comparison> comparison_;
    Breakdown by_source_;
    Breakdown by_group_;
    Series over_time_;
};

}  // namespace plimsoll::jobs::sentiment
