#include "engine/training/estimate/pool_tape.hpp"

#include <algorithm>
#include <span>

namespace plimsoll::training {
namespace {

// The entries at the list's first place; the list continues after them.
std::span<const PoolTape::Scratch> take_place(std::span<const PoolTape::Scratch>& list) {
    const auto at = list.front().at;
    const auto end = std::ranges::find_if(list, [at](const auto& s) { return s.at != at; });
    const auto place = list.first(static_cast<std::size_t>(end - list.begin()));
    list = list.subspan(place.size());
    return place;
}

}  // namespace

void PoolTape::clear(bool small, bool scratch_apart) {
    steps_.clear();
    scratch_.clear();
    waiting_ = nullptr;
    slots_ = 0;
    first_later_ = first_later_scratch_ = 0;
    in_later_ = false;
    digest_ = 0;
    small_ = small;
    scratch_apart_ = scratch_apart;
}

bool PoolTape::holds(const Outcome& outcome) const {
    std::span<const Scratch> known(outcome.scratch), mine(scratch_);
    while (!known.empty()) {
        const auto there = take_place(known);
        if (!mine.empty() && mine.front().at < there.front().at) return false;  // nothing known
        const auto here = mine.empty() || mine.front().at != there.front().at
                              ? std::span<const Scratch>()
                              : take_place(mine);
        if (std::ranges::any_of(there, &Scratch::grew)) {
            if (!std::ranges::equal(there, here, {}, &Scratch::bytes, &Scratch::bytes))
                return false;
        } else {
            const auto fits = [&](const Scratch& s) { return s.bytes <= there.front().room; };
            if (!std::ranges::all_of(here, fits)) return false;
        }
    }
    return mine.empty();
}

PoolTape::Outcome PoolTape::replay(const EstimateOptions& options) const {
    CachingAllocator allocator(options.unlimited());
    std::vector<CachingAllocator::Block> blocks(static_cast<std::size_t>(slots_), -1);
    Outcome out{.scratch = scratch_};
    const auto try_scratch = [&](Scratch& s) {
        const auto largest = allocator.largest_free(small_);
        if (s.bytes <= largest) {
            s.room = s.room == 0 ? largest : std::min(s.room, largest);
        } else {
            allocator.free(allocator.allocate(s.bytes));
            s.grew = true;
        }
    };
    const auto run = [&](std::size_t begin, std::size_t end, std::span<Scratch> scratch,
                         std::int32_t shift) {
        auto next = scratch.begin();
        for (std::size_t i = begin; i < end; ++i) {
            for (; next != scratch.end() && next->at == static_cast<std::int32_t>(i) + shift;
                 ++next)
                try_scratch(*next);
            const auto& s = steps_[i];
            auto& block = blocks[static_cast<std::size_t>(s.slot)];
            if (s.bytes > 0)
                block = allocator.allocate(s.bytes);
            else
                allocator.free(block);
        }
        for (; next != scratch.end(); ++next) try_scratch(*next);
    };
    const std::span scratch(out.scratch);
    run(0, first_later_, scratch.first(first_later_scratch_), 0);
    for (int step = 2; step <= options.steps; ++step) {
        const auto before = allocator.reserved();
        run(first_later_, steps_.size(), scratch.subspan(first_later_scratch_), 1);
        // A later step frees all that it allocates. If no segment was added, the free blocks are
        // the initial ones, and the next step would repeat it.
        if (allocator.reserved() == before) break;
    }
    out.reserved = allocator.max_reserved();
    return out;
}

}  // namespace plimsoll::training
