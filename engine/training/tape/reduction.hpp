#pragma once

#include "engine/training/tape/settings.hpp"
#include "engine/training/tape/tape.hpp"

#include <array>
#include <cstdint>

namespace plimsoll::training {

// The bytes of scratch that a reduction's kernels allocate on a card, in two buffers; 0: none.
std::array<std::int64_t, 2> scratch_needed(const TapeDevice& device, const Reduction& reduction);

}  // namespace plimsoll::training
