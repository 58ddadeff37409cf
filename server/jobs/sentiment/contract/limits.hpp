#pragma once

#include <cstddef>
#include <string_view>

namespace plimsoll::jobs::sentiment {

inline constexpr std::string_view kName = "sentiment";
inline constexpr int kVersion = 1;
inline constexpr std::string_view kVader = "vader";

// A longer text is an error of its item. In bytes of UTF-8.
inline constexpr std::size_t kLongestText = 65536;

// A task ends at whichever limit it reaches first: about 20 to 50 ms of work on one core, and less
// than the 1 MiB that a stored chunk may have even where texts do not compress.
inline constexpr std::size_t kTaskItems = 8192;
inline constexpr std::size_t kTaskBytes = 960 * 1024;

// Far more than an unpacked input ever holds: a guard against damaged data.
inline constexpr std::size_t kLargestBlock = 64 << 20;

}  // namespace plimsoll::jobs::sentiment
