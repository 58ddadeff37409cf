#pragma once

#include "engine/training/tape/settings.hpp"
#include "engine/training/tape/tape.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::training {

// The tapes of one run at every batch between two: the same events, whose buffers' sizes are lines
// in the batch. Two recorded tapes give it, a third confirms it, and no batch between them needs to
// be recorded. Scratch of reductions is kept apart, because it is not linear and differs by card:
// cards of one compute capability share everything else.
class TapeLine {
  public:
    // A number that grows with the batch, or does not.
    struct Size {
        std::int64_t base = 0;
        std::int64_t slope = 0;
        std::int64_t at(std::int64_t batch) const { return base + slope * batch; }
        bool operator==(const Size&) const = default;
    };
    // Where a reduction takes its scratch: before a step.
    struct Place {
        std::int32_t at = 0;
        Reduction::Kind kind = Reduction::Kind::sum;
        Size rows, columns;
        bool operator==(const Place&) const = default;
    };
    // A buffer whose size is not linear, but follows from one that is.
    struct Sums {
        std::size_t slot = 0;
        Size rows;
        std::int64_t table = 0;
        std::int64_t width = 0;
        bool operator==(const Sums&) const = default;
    };
    using Scratch = std::array<std::int64_t, 2>;  // bytes of two buffers, as rounded

    // Of one tape, which holds at its batch alone.
    TapeLine(const Tape& tape, std::int64_t batch, const TapeDevice& device);
    // Through two of them; nothing if they differ in more than sizes.
    static std::optional<TapeLine> through(const TapeLine& low, const TapeLine& high);
    // Whether another tape lies on this line, which then reaches as far as that one.
    bool extend(const TapeLine& one);
    bool covers(std::int64_t batch) const { return low_ <= batch && batch <= high_; }

    // Steps: n allocates the buffer n - 1, -n frees it. Those of the later steps begin at
    // first_later().
    const std::vector<std::int32_t>& steps() const { return steps_; }
    std::size_t first_later() const { return first_later_; }
    int stream_of(std::size_t buffer) const { return static_cast<int>(streams_[buffer]); }
    const std::vector<Place>& places() const { return places_; }
    std::size_t first_later_place() const { return first_later_place_; }
    // Of all of the above, and the sizes.
    std::uint64_t digest() const {
        if (!digest_) mix_digest();
        return *digest_;
    }

    void sizes_at(std::int64_t batch, std::vector<std::int64_t>& rounded) const;
    void scratch_at(std::int64_t batch, const TapeDevice& device,
                    std::vector<Scratch>& rounded) const;
    Work work_at(std::int64_t batch, const TapeDevice& device) const;
    // The most that its tensors take at once: the allocator reserves no less.
    std::int64_t peak_alive(std::int64_t batch) const;
    // What they take between two steps.
    std::int64_t standing(std::int64_t batch) const;

  private:
    struct Alive {
        std::int64_t max = 0, last = 0;
    };

    TapeLine() = default;
    Alive alive(std::int64_t batch) const;
    bool same_steps(const TapeLine& other) const;
    void mix_digest() const;

    std::vector<std::int32_t> steps_;
    std::vector<Size> sizes_;
    std::vector<Stream> streams_;  // of the buffers
    std::vector<Sums> sums_;
    std::vector<Place> places_;
    std::size_t first_later_ = 0;
    std::size_t first_later_place_ = 0;
    // Without the scratch. Of the work of a step, the numbers that grow: by batch, and at 0.
    Work work_, growth_;
    std::int64_t low_ = 0, high_ = 0;
    mutable std::optional<std::uint64_t> digest_;
};

}  // namespace plimsoll::training
