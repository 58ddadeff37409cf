#pragma once

#include "engine/opencl/memory/free_ranges.hpp"
#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/runtime/device.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::opencl {

// Device memory taken once and lent in slices, so that steady work allocates nothing on the device.
// It consists of blocks no larger than the driver gives in one piece and 1 GiB; every block is
// written when made, because drivers that allocate at first use would otherwise fail in the middle
// of a job. Lives longer than its slices and no longer than the Device; used by the device thread.
class Arena {
    struct Block {
        Buffer buffer;
        FreeRanges free;
    };
    struct State {
        const Device& device;
        std::vector<Ledger::Entry> entries;
        std::vector<Block> blocks;
    };

  public:
    // A part of the arena, given back when destroyed. Its bytes are what the last user left there.
    class Slice {
      public:
        Slice(Slice&& other) noexcept
            : state_(std::exchange(other.state_, nullptr)),
              block_(other.block_),
              range_(other.range_),
              buffer_(std::move(other.buffer_)) {}
        Slice& operator=(Slice&&) = delete;
        ~Slice();

        const Buffer& buffer() const { return buffer_; }

      private:
        friend class Arena;
        Slice(State& state, std::size_t block, FreeRanges::Range range, Buffer buffer)
            : state_(&state), block_(block), range_(range), buffer_(std::move(buffer)) {}
        State* state_;
        std::size_t block_;
        FreeRanges::Range range_;
        Buffer buffer_;
    };

    static Result<Arena> create(const Device& device, Ledger& ledger, std::uint64_t bytes,
                                const std::string& purpose);

    // Errc::exhausted when no block has so many bytes in one piece.
    Result<Slice> take(std::size_t bytes);

    std::uint64_t capacity() const;
    std::uint64_t free() const;
    // The most that one slice can have now.
    std::uint64_t largest_free() const;

  private:
    explicit Arena(std::unique_ptr<State> state) : state_(std::move(state)) {}
    std::unique_ptr<State> state_;
};

// What to do with work that will need so many bytes of an arena.
enum class Admission {
    run,    // fits now
    wait,   // fits when others are done
    split,  // never fits in one piece
};

Admission admit(const Arena& arena, std::uint64_t predicted_bytes);

}  // namespace plimsoll::opencl
