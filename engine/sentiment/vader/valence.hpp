#pragma once

#include "engine/sentiment/vader/tokens.hpp"

#include <cstdint>
#include <vector>

namespace plimsoll::sentiment::vader {

// The contribution of the token at `index`, which must be in the lexicon, given its neighbours:
// capitals, intensifiers, negations and idioms up to three tokens before it.
double valence_at(const Tokens& tokens, std::size_t index);

struct Contribution {
    std::uint32_t token;
    double valence;
};

// Applies a "but" at token `turn`: less weight before it, more after it. Contributions are in token
// order. As in the reference, values are looked up by equality while they change, so the first of
// several equal values is scaled each time.
void apply_contrast(std::vector<Contribution>& contributions, std::uint32_t turn);

}  // namespace plimsoll::sentiment::vader
