#pragma once

#include "engine/training/estimate/estimate.hpp"

#include <cstdint>
#include <vector>

namespace plimsoll::training {

// The events of a tape that one pool of the allocator sees.
//
// An allocation that is freed by the next event is scratch: while any free block is large enough,
// it leaves the pool unchanged, whatever its size. Scratch is therefore kept separately: it is not
// part of the digest, and a replay records up to which sizes its outcome holds. Cards of one
// generation differ only in the scratch of their reductions.
class PoolTape {
  public:
    struct Scratch {
        std::int32_t at = 0;  // between which steps
        std::int64_t bytes = 0;
        // Found by a replay: the largest free block at this point, in the step where it was
        // smallest; none was large enough if the pool grew for exactly these bytes.
        std::int64_t room = 0;
        bool grew = false;
    };
    struct Outcome {
        std::int64_t reserved = 0;
        std::vector<Scratch> scratch;
    };

    // `small`: which pool. Clears all events; `scratch_apart` must be false where a free block may
    // be too large for a request (max_split_size).
    void clear(bool small, bool scratch_apart);

    // `place` belongs to the buffer: 0 at first, later the pool's name for it.
    void allocate(std::int32_t& place, std::int64_t bytes) {
        flush();
        waiting_ = &place;
        waiting_bytes_ = bytes;
    }
    void free(std::int32_t& place) {
        if (waiting_ == &place && scratch_apart_) {
            waiting_ = nullptr;
            scratch_.push_back({.at = here(), .bytes = waiting_bytes_});
            return;
        }
        flush();
        add({0, place - 1});
    }
    void begin_later_steps() {
        flush();
        first_later_ = steps_.size();
        first_later_scratch_ = scratch_.size();
        in_later_ = true;
        mix(first_later_);
    }
    void finish() { flush(); }

    // The digest of everything but the scratch.
    std::uint64_t digest() const { return digest_; }
    // Whether this outcome also holds for a tape with this digest.
    bool holds(const Outcome& outcome) const;
    Outcome replay(const EstimateOptions& options) const;

  private:
    struct Step {
        std::int64_t bytes = 0;  // to allocate, as rounded; 0 = free
        std::int32_t slot = 0;
    };
    // The end of the first step and the beginning of the later ones are two places.
    std::int32_t here() const { return static_cast<std::int32_t>(steps_.size()) + in_later_; }

    // An allocation that is followed by anything but its free.
    void flush() {
        if (waiting_ == nullptr) return;
        if (*waiting_ == 0) *waiting_ = ++slots_;  // a buffer that every step makes keeps its slot
        add({waiting_bytes_, *waiting_ - 1});
        waiting_ = nullptr;
    }
    void add(const Step& step) {
        steps_.push_back(step);
        mix(static_cast<std::uint64_t>(step.bytes) << 20 ^ static_cast<std::uint64_t>(step.slot));
    }
    void mix(std::uint64_t value) {
        value = (digest_ ^ value) * 0x9E3779B97F4A7C15U;
        digest_ = value << 29 | value >> 35;
    }

    std::vector<Step> steps_;
    std::vector<Scratch> scratch_;
    std::int32_t* waiting_ = nullptr;
    std::int64_t waiting_bytes_ = 0;
    std::int32_t slots_ = 0;
    std::size_t first_later_ = 0;
    std::size_t first_later_scratch_ = 0;
    bool in_later_ = false;
    std::uint64_t digest_ = 0;
    bool small_ = false;
    bool scratch_apart_ = true;
};

}  // namespace plimsoll::training
