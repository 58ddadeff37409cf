#pragma once

#include <cstdint>
#include <vector>

namespace plimsoll::sentiment::vader {

struct Contribution {
    std::uint32_t token;
    double valence;
};

// Applies a "but" at token `turn`: less weight before it, more after it. Contributions are in token
// order. As in the reference, values are looked up by equality while they change, so the first of
// several equal values is scaled each time.
void apply_contrast(std::vector<Contribution>& contributions, std::uint32_t turn);

}  // namespace plimsoll::sentiment::vader
