#pragma once

#include "engine/training/estimate/estimate.hpp"
#include "engine/training/estimate/tape_line.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace plimsoll::training {

// max_memory_reserved of tapes: the replay of an estimate without its bookkeeping, and each replay
// only once, whatever cards, curves and what-ifs ask for it. Small and large allocations use
// separate pools, so their parts of a tape are replayed separately.
//
// Scratch that is freed at once leaves a pool unchanged, whatever its size, while a free block is
// large enough for it. A replay therefore notes how much room there was: its outcome holds for
// every card whose scratch fits. All calls of one object take the same options.
class ReservedPeaks {
  public:
    std::int64_t operator()(const TapeLine& line, std::int64_t batch, const TapeDevice& device,
                            const EstimateOptions& options);

  private:
    // The room in one pool for a place's scratch: the largest free block, in the step where it
    // was smallest; or the pool may have grown for exactly this scratch.
    struct Room {
        std::int64_t bytes = 0;
        bool grew = false;
        TapeLine::Scratch scratch = {};
    };
    struct Outcome {
        std::int64_t reserved = 0;
        std::vector<Room> rooms;  // by place
    };
    using Known = std::unordered_map<std::uint64_t, std::vector<Outcome>>;

    // The steps of one pool, and before which of them each place is.
    struct Part {
        std::vector<std::int32_t> steps;
        std::vector<std::size_t> places;
        std::size_t first_later = 0;
    };

    const Outcome& outcome(bool small, std::uint64_t key, const TapeLine& line,
                           const EstimateOptions& options);
    bool holds(bool small, const Outcome& outcome) const;
    Outcome replay(bool small, const TapeLine& line, const EstimateOptions& options);
    const Part& part_of(bool small, const TapeLine& line);
    std::uint64_t digest_of_small(const TapeLine& line);

    std::array<Known, 2> known_;  // of the large pool and the small one
    std::unordered_map<std::uint64_t, std::uint64_t> small_keys_;  // by the large pool's
    // Of the present call.
    std::vector<std::int64_t> sizes_;
    std::vector<TapeLine::Scratch> scratch_;
    std::array<Part, 2> parts_;
    bool parted_ = false;
};

}  // namespace plimsoll::training
