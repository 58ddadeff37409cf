#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plimsoll::jobs::waves {

// The engine's room has the same name as this kind.
namespace engine = ::plimsoll::waves;

inline constexpr std::string_view kName = "waves";
inline constexpr int kVersion = 5;

inline constexpr std::size_t kMaxSymbols = 20'000;
inline constexpr std::size_t kLongestSymbol = 64;  // bytes of UTF-8; a longer one fails
inline constexpr int kMaxCounts = 100;             // per symbol: a row holds all of them
inline constexpr int kMaxSurrogates = 100'000;

// A task ends at the limit that it reaches first. The rows of this many symbols stay well below a
// chunk of results.
inline constexpr std::size_t kSymbolsATask = 16;
inline constexpr double kSecondsATask = 0.1;
inline constexpr std::size_t kBytesATask = 900 * 1024;  // unpacked

// For a replay, which answers immediately: a fraction of a second.
inline constexpr std::size_t kBarsReplayed = 20;  // default
inline constexpr std::size_t kMaxBarsReplayed = 2000;
inline constexpr std::size_t kMaxSteps = 100;
inline constexpr std::uint64_t kMaxNodesReplayed = 2'000'000;
inline constexpr std::size_t kMaxCountsReplayed = 4'000'000;  // ranked, over all steps

// A task with some surrogates of a symbol: seconds of a core, within limits. Each also searches the
// symbol itself, which takes as long as one to three surrogates.
inline constexpr double kSecondsAShare = 0.25;
inline constexpr std::uint32_t kSurrogatesAShare = 2048;  // keeps partials small
inline constexpr double kMaxShares = 64;                  // over all symbols
inline constexpr double kBytesOfShares = 16 << 20;        // of a symbol's inputs together
inline constexpr std::size_t kBytesOfDrafts = 8 << 20;    // of rows that the merge completes

// Far more than the longest series takes, unpacked: a guard against corrupt data.
inline constexpr std::size_t kLargestInput = 256 << 20;

}  // namespace plimsoll::jobs::waves
