#pragma once

#include "engine/training/estimate/pool_tape.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace plimsoll::training {

// max_memory_reserved of tapes: the replay of an estimate without its bookkeeping, and each replay
// only once. Small and large allocations use separate pools, so their parts of a tape are replayed
// separately and the reserved memory of each part is cached: tapes of other cards and settings
// mostly differ only in scratch or in large allocations. All calls of one object take the same
// options.
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
