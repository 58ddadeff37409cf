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

}  // namespace plimsoll::waves
