#pragma once

#include "engine/waves_device/family.hpp"

#include <string>

namespace plimsoll::waves {

// The index of a rule's node counter among the counters of a lane; see
// engine/kernels/waves/waves_search.cl.
inline constexpr std::size_t kNodes = 0;
inline constexpr std::size_t kCutChains = 1;
inline constexpr std::size_t kOpenCounts = 2;
inline constexpr std::size_t kFinished = 3;  // by pattern
std::size_t rule_counter(const FamilyView& family, std::size_t pattern, int rule);
std::size_t counters(const FamilyView& family);

// Bins of the score histogram.
inline constexpr std::size_t kScoreBins = 256;

// OpenCL C of the search for a family: the fixed part of engine/kernels, then the patterns' rules
// as nested loops and their scores. `counts`: keep every count, else find only the best scores.
std::string search_source(const FamilyView& family, bool counts);

}  // namespace plimsoll::waves
