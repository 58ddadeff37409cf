#pragma once

#include "engine/sentiment/vader/tokens.hpp"

namespace plimsoll::sentiment::vader {

// The contribution of the token at `index`, which must be in the lexicon, given its neighbours:
// capitals, intensifiers, negations and idioms up to three tokens before it.
double valence_at(const Tokens& tokens, std::size_t index);

}  // namespace plimsoll::sentiment::vader
