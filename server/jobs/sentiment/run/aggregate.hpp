#pragma once

#include "engine/base/result.hpp"
#include "engine/text/record_block.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs::sentiment {

enum class Label { positive, neutral, negative };

std::string_view to_string(Label label);

// Compound scores have four decimals: counted in units of 1/10000 they add up exactly, in any
// order.
inline constexpr int kCompoundDecimals = 4;
inline constexpr std::int64_t kCompoundScale = 10000;

// At 0.05 and -0.05, as VADER's authors recommend.
Label label_of(std::int64_t compound);

struct Extreme {
    std::uint64_t index = 0;
    std::optional<std::string> custom_id;
    std::int64_t compound = 0;
    std::string text;  // the beginning
};

struct Failed {
    std::uint64_t index = 0;
    std::uint64_t line = 0;  // see text::Record
    std::optional<std::string> custom_id;
    std::string code;
    std::string message;
};

// What a job says about all of its texts. Adding one task's aggregate to another's, in task order,
// gives that of both.
class Aggregate {
  public:
    static constexpr std::size_t kBins = 40;
    static constexpr std::size_t kExtremes = 10;
    static constexpr std::size_t kFailed = 20;

    void add(const text::RecordView& record, std::int64_t compound);
    void add_failed(const text::RecordView& record);
    void add(const Aggregate& later);

    // For storage between a task and the merge: below 64 KiB.
    std::string to_json() const;
    static Result<Aggregate> from_json(std::string_view text);

    // The report's summary.
    std::string summary(std::string_view model) const;

  private:
    void add_extreme(std::vector<Extreme>& list, Extreme extreme);

    std::array<std::int64_t, 3> labels_{};  // by Label
    std::array<std::int64_t, kBins> bins_{};
    std::int64_t sum_ = 0;
    std::int64_t sum_of_squares_ = 0;  // at most 10^8 an item: room for 9 * 10^10 items
    std::int64_t minimum_ = kCompoundScale;
    std::int64_t maximum_ = -kCompoundScale;
    std::vector<Extreme> most_positive_;  // strongest first; of equals the earlier first
    std::vector<Extreme> most_negative_;
    std::vector<Failed> failed_;  // the first ones
};

}  // namespace plimsoll::jobs::sentiment
