#pragma once

#include "engine/sentiment/vader/tokens.hpp"

namespace plimsoll::sentiment::vader {

// What the token at `index`, which the lexicon must have, contributes among its neighbours:
// capitals, intensifiers, negations and idioms up to three tokens before it.
double valence_at(const Tokens& tokens, std::size_t index);

}  // namespace plimsoll::sentiment::vader
