#pragma once

#include "engine/text/attributes.hpp"
#include "server/jobs/records/text_args.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace plimsoll::jobs::sentiment {

// The classes of plimsoll::sentiment::Table, in its order.
enum class Label { positive, neutral, negative };

constexpr std::string_view to_string(Label label) {
    constexpr std::string_view kNames[] = {"positive", "neutral", "negative"};
    return kNames[static_cast<std::size_t>(label)];
}

inline constexpr std::string_view kName = "sentiment";
inline constexpr int kVersion = 5;
inline constexpr std::string_view kVader = "vader";
// The model of jobs that name none, if a worker has it; else VADER.
inline constexpr std::string_view kPreferred = "finbert";

// The four model columns exist if a policy chose the model, "model" and "models" in comparisons;
// source, time, given_label, group and kept if the item has them; windows if the job asked for them
// and a model read the text.
inline constexpr std::array kColumns = {
    Column{"index"},    Column{"line"},        Column{"custom_id", true}, Column{"text", true},
    Column{"label"},    Column{"compound"},    Column{"positive"},        Column{"neutral"},
    Column{"negative"}, Column{"tokens"},      Column{"truncated"},       Column{"model"},
    Column{"form"},     Column{"model_asked"}, Column{"model_reason"},    Column{"source"},
    Column{"time"},     Column{"given_label"}, Column{"group"},           Column{"kept"},
    Column{"models"},   Column{"windows"},     Column{"error_code"},      Column{"error"},
};

// The column of an attribute of the input. "label" is a model's label.
constexpr std::string_view column_of(text::Attribute attribute) {
    return attribute == text::Attribute::label ? "given_label" : name_of(attribute);
}

inline constexpr std::size_t kLongestText = 65536;

// On one core: unpacking, scoring and packing the result row. The charge is corrected to the
// measured time.
inline constexpr double kSecondsPerItem = 2e-6;
inline constexpr double kSecondsPerByte = 15e-9;

// Scored by VADER.
inline constexpr TextKind kTexts{kColumns, kLongestText, kSecondsPerItem, kSecondsPerByte};

}  // namespace plimsoll::jobs::sentiment
