#pragma once

#include "engine/training/estimate/estimate.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace plimsoll::training {

// max_memory_reserved of tapes: the replay of an estimate without its bookkeeping, and each replay
// only once. Small and large allocations never meet in the allocator, so their parts of a tape are
// replayed apart, and what was reserved for a part is remembered by what it allocates and frees:
// tapes of other cards, and of other settings, mostly differ in large scratch alone. All calls of
// one object take the same options.
class ReservedPeaks {
  public:
    std::int64_t operator()(const Tape& tape, const EstimateOptions& options);

  private:
    // Of large and of small allocations, by a digest of their events.
    std::array<std::unordered_map<std::uint64_t, std::int64_t>, 2> known_;
};

}  // namespace plimsoll::training
