#pragma once

#include <cstddef>
#include <string_view>

namespace plimsoll::jobs::sentiment {

inline constexpr std::string_view kName = "sentiment";
inline constexpr int kVersion = 1;
inline constexpr std::string_view kVader = "vader";

// A longer text is an error of its item. In bytes of UTF-8.
inline constexpr std::size_t kLongestText = 65536;

// One core: unpacking, scoring and packing the result row. The charge is corrected by what the task
// really took.
inline constexpr double kSecondsPerItem = 2e-6;
inline constexpr double kSecondsPerByte = 15e-9;

}  // namespace plimsoll::jobs::sentiment
