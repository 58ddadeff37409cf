#pragma once

#include <cstdint>
#include <vector>

namespace plimsoll::sentiment::vader {

struct Contribution {
    std::uint32_t token;
    double valence;
};

// The turn that a "but" at token `turn` makes: less weight before it, more after. Contributions are
// in token order. As in the reference, a value is looked up by equality while values change, so of
// equal ones the first is scaled each time.
void apply_contrast(std::vector<Contribution>& contributions, std::uint32_t turn);

}  // namespace plimsoll::sentiment::vader
