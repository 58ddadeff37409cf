#pragma once

#include "engine/training/estimate/pool_tape.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace plimsoll::training {

// max_memory_reserved of tapes: the replay of an estimate without its bookkeeping, and each replay
// only once. Small and large allocations never meet in the allocator, so their parts of a tape are
// replayed apart, and what a part reserved is remembered: tapes of other cards, and of other
// settings, mostly differ in scratch or in large allocations alone. All calls of one object take
// the same options.
class ReservedPeaks {
  public:
    std::int64_t operator()(const Tape& tape, const EstimateOptions& options);

  private:
    using Known = std::unordered_map<std::uint64_t, std::vector<PoolTape::Outcome>>;

    std::array<PoolTape, 2> pools_;  // large, small; kept, so that their memory is
    std::array<Known, 2> known_;     // by digest
    std::vector<std::int32_t> places_;
};

}  // namespace plimsoll::training
