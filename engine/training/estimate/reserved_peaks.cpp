#include "engine/training/estimate/reserved_peaks.hpp"

#include <bit>
#include <span>

namespace plimsoll::training {
namespace {

// The events of a tape that one pool of the allocator sees.
class PoolTape {
  public:
    explicit PoolTape(std::size_t events) { steps_.reserve(events); }

    void allocate(std::int32_t& slot, std::int64_t bytes) {
        if (slot == 0) slot = ++slots_;  // a buffer that every step makes anew keeps its slot
        add({bytes, slot - 1});
    }
    void free(std::int32_t slot) { add({0, slot - 1}); }
    void begin_later_steps() {
        first_later_ = steps_.size();
        mix(first_later_);
    }

    std::uint64_t digest() const { return digest_; }

    std::int64_t replay(const EstimateOptions& options) const {
        CachingAllocator allocator(options.unlimited());
        std::vector<CachingAllocator::Block> blocks(static_cast<std::size_t>(slots_), -1);
        const auto run = [&](std::span<const Step> steps) {
            for (const auto& s : steps) {
                auto& block = blocks[static_cast<std::size_t>(s.slot)];
                if (s.bytes > 0)
                    block = allocator.allocate(s.bytes);
                else
                    allocator.free(block);
            }
        };
        const std::span all(steps_);
        run(all.first(first_later_));
        for (int step = 2; step <= options.steps; ++step) {
            const auto before = allocator.reserved();
            run(all.subspan(first_later_));
            // A later step frees all that it allocates. Where no segment came, the free blocks are
            // those that it began with, and the next step would repeat it.
            if (allocator.reserved() == before) break;
        }
        return allocator.max_reserved();
    }

  private:
    struct Step {
        std::int64_t bytes = 0;  // to allocate, as rounded; 0 = free
        std::int32_t slot = 0;
    };

    void add(const Step& step) {
        steps_.push_back(step);
        mix(static_cast<std::uint64_t>(step.bytes) << 20 ^ static_cast<std::uint64_t>(step.slot));
    }
    void mix(std::uint64_t value) {
        digest_ = std::rotl((digest_ ^ value) * 0x9E3779B97F4A7C15U, 29);
    }

    std::vector<Step> steps_;
    std::int32_t slots_ = 0;
    std::size_t first_later_ = 0;
    std::uint64_t digest_ = 0;
};

}  // namespace

std::int64_t ReservedPeaks::operator()(const Tape& tape, const EstimateOptions& options) {
    const auto events = tape.setup.size() + tape.first.size() + tape.later.size();
    std::array<PoolTape, 2> pools{PoolTape(events), PoolTape(events)};  // large, small
    std::vector<std::int32_t> slots(tape.buffers.size());               // from 1, within a pool
    const auto deal = [&](const std::vector<Event>& list) {
        for (const auto& e : list) {
            const auto buffer = static_cast<std::size_t>(e.buffer);
            const auto bytes = CachingAllocator::rounded(tape.buffers[buffer].bytes);
            auto& pool = pools[CachingAllocator::is_small(bytes) ? 1 : 0];
            if (e.allocates)
                pool.allocate(slots[buffer], bytes);
            else
                pool.free(slots[buffer]);
        }
    };
    deal(tape.setup);
    deal(tape.first);
    for (auto& pool : pools) pool.begin_later_steps();
    deal(tape.later);
    std::int64_t sum = 0;  // without a limit nothing is given back: the pools' peaks are their ends
    for (std::size_t i = 0; i < pools.size(); ++i) {
        const auto [known, is_new] = known_[i].try_emplace(pools[i].digest());
        if (is_new) known->second = pools[i].replay(options);
        sum += known->second;
    }
    return sum;
}

}  // namespace plimsoll::training
