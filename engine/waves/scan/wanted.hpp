#pragma once

#include "engine/waves/settings/settings.hpp"

#include <cstddef>

namespace plimsoll::waves {

// The patterns of the family selected by the settings, as bits.
template <const auto& F>
unsigned wanted(const Settings& settings) {
    unsigned bits = 0;
    for (std::size_t p = 0; p < F.patterns.size(); ++p)
        bits |= ((settings.shapes >> static_cast<unsigned>(F.patterns[p].shape)) & 1) << p;
    return bits;
}

}  // namespace plimsoll::waves
