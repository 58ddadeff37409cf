#pragma once

#include "engine/text/record_block.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

namespace plimsoll::jobs::sentiment {

// Compound scores have four decimals: counted in units of 1/10000, they and shares add up exactly,
// in any order.
inline constexpr int kCompoundDecimals = 4;
inline constexpr std::int64_t kCompoundScale = 10000;

inline std::int64_t scaled(double value) {
    return std::llround(value * static_cast<double>(kCompoundScale));
}

inline double fraction(std::int64_t scaled) {
    return static_cast<double>(scaled) / static_cast<double>(kCompoundScale);
}

// The scores of a text, from any model.
struct TextScores {
    Label label = Label::neutral;
    std::int64_t compound = 0;
    std::int64_t positive = 0;
    std::int64_t neutral = 0;
    std::int64_t negative = 0;
    // For models with tokens.
    std::optional<std::uint32_t> tokens = {};  // of the whole text
    bool truncated = false;                    // truncated
    std::uint32_t windows = 1;                 // that the text was divided into
    bool duplicate = false;                    // the same tokens as another text of the task
};

// Gets an item, with its scores unless it is an error.
using TakeScores = std::function<void(const text::RecordView&, const TextScores*)>;

}  // namespace plimsoll::jobs::sentiment
