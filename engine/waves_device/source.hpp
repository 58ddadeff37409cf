#pragma once

#include "engine/waves_device/family.hpp"

#include <string>

// Rules and scores of patterns as OpenCL C, over a `const Path* p` of
// engine/kernels/waves/waves_scores.cl.
namespace plimsoll::waves {

// The value of measure().
std::string term_text(const Term& term);
// Path::breach(); refers to `table`, `bars` and `base` of the search.
std::string breach_text(int wave);

// score_P() of a pattern, and its parts.
std::string scores_text(const FamilyView& family, std::size_t pattern);

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
