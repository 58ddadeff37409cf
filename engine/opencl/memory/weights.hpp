#pragma once

#include "engine/opencl/memory/arena.hpp"

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::opencl {

// The weights of models on one device. A pinned set stays; of the others the one that was asked for
// least recently makes room. Used by the device thread; lives longer than its pins.
class Weights {
  public:
    using Clock = std::chrono::steady_clock;

  private:
    struct Set {
        std::string name;
        Arena::Slice slice;
        int pins = 0;
        Clock::time_point idle_since;
    };

  public:
    // Keeps a set where it is until destroyed.
    class Pin {
      public:
        Pin(Pin&& other) noexcept
            : owner_(other.owner_), set_(std::exchange(other.set_, nullptr)) {}
        Pin& operator=(Pin&&) = delete;
        ~Pin();
        const Buffer& buffer() const { return set_->slice.buffer(); }

      private:
        friend class Weights;
        Pin(const Weights& owner, Set& set) : owner_(&owner), set_(&set) { ++set.pins; }
        const Weights* owner_;
        Set* set_;
    };

    explicit Weights(Arena& arena, std::function<Clock::time_point()> now = Clock::now)
        : arena_(arena), now_(std::move(now)) {}

    // The set of this name; `load` fills it when it is not there. Errc::exhausted when what is
    // pinned leaves too little room.
    Result<Pin> pin(const std::string& name, std::size_t bytes,
                    const std::function<Result<void>(const Buffer&)>& load);

    // Lets go of what nobody pins and nobody used for so long; 0 is all of it. The bytes freed.
    std::uint64_t release_idle(Clock::duration unused_for);

    // From the one used last to the one used first.
    std::vector<std::string> names() const;

  private:
    bool release_oldest();

    Arena& arena_;
    std::function<Clock::time_point()> now_;
    std::list<Set> sets_;  // used last first; a list, so that pins' addresses last
};

}  // namespace plimsoll::opencl
