#pragma once

#include <cstddef>

// The messages between a server and its plimsoll-hasher, one packet each way:
// - "hash" NUL "password": the answer is kSame, then a newer hash if the given one is outdated; or
//   kDifferent;
// - NUL "password": the answer is kSame, then a new hash.
namespace plimsoll::identity {

inline constexpr char kSame = '+';
inline constexpr char kDifferent = '-';
inline constexpr std::size_t kLongestMessage = 8 * 1024;  // bytes

}  // namespace plimsoll::identity
