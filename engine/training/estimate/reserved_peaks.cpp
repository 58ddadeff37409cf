#include "engine/training/estimate/reserved_peaks.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace plimsoll::training {
namespace {

std::uint64_t mixed(std::uint64_t digest, std::uint64_t value) {
    digest = (digest ^ value) * 0x9E3779B97F4A7C15U;
    return digest << 29 | digest >> 35;
}

bool is_of(bool small, std::int64_t bytes) {
    return bytes > 0 && CachingAllocator::is_small(bytes) == small;
}

TapeLine::Scratch scratch_of(bool small, const TapeLine::Scratch& scratch) {
    return {is_of(small, scratch[0]) ? scratch[0] : 0, is_of(small, scratch[1]) ? scratch[1] : 0};
}

}  // namespace

// Without a limit nothing is released: the pools' peaks are their final sizes.
std::int64_t ReservedPeaks::operator()(const TapeLine& line, std::int64_t batch,
                                       const TapeDevice& device, const EstimateOptions& options) {
    line.sizes_at(batch, sizes_);
    line.scratch_at(batch, device, scratch_);
    parted_ = false;
    const auto large_key = mixed(line.digest(), static_cast<std::uint64_t>(batch));
    const auto [small_key, is_new] = small_keys_.try_emplace(large_key);
    if (is_new) small_key->second = digest_of_small(line);
    return outcome(false, large_key, line, options).reserved +
           outcome(true, small_key->second, line, options).reserved;
}

const ReservedPeaks::Outcome& ReservedPeaks::outcome(bool small, std::uint64_t key,
                                                     const TapeLine& line,
                                                     const EstimateOptions& options) {
    auto& outcomes = known_[small ? 1 : 0][key];
    for (const auto& known : outcomes)
        if (holds(small, known)) return known;
    return outcomes.emplace_back(replay(small, line, options));
}

const ReservedPeaks::Part& ReservedPeaks::part_of(bool small, const TapeLine& line) {
    if (std::exchange(parted_, true)) return parts_[small ? 1 : 0];
    const auto& steps = line.steps();
    const auto& places = line.places();
    std::array<std::size_t, 2> counts = {0, 0};
    for (auto& part : parts_) {
        part.steps.resize(steps.size());
        part.places.clear();
    }
    std::size_t next = 0;
    const auto add_up_to = [&](std::size_t end) {
        for (; next < end; ++next) {
            const auto slot = static_cast<std::size_t>(std::abs(steps[next]) - 1);
            const std::size_t pool = CachingAllocator::is_small(sizes_[slot]) ? 1 : 0;
            parts_[pool].steps[counts[pool]++] = steps[next];
        }
    };
    const auto add_places = [&](std::size_t place, std::size_t last) {
        for (; place < last; ++place) {
            add_up_to(static_cast<std::size_t>(places[place].at));
            for (std::size_t pool = 0; pool < 2; ++pool)
                parts_[pool].places.push_back(counts[pool]);
        }
    };
    add_places(0, line.first_later_place());
    add_up_to(line.first_later());
    for (std::size_t pool = 0; pool < 2; ++pool) parts_[pool].first_later = counts[pool];
    add_places(line.first_later_place(), places.size());
    add_up_to(steps.size());
    for (std::size_t pool = 0; pool < 2; ++pool) parts_[pool].steps.resize(counts[pool]);
    return parts_[small ? 1 : 0];
}

// Everything that the small pool's replay follows, in order.
std::uint64_t ReservedPeaks::digest_of_small(const TapeLine& line) {
    const auto& part = part_of(true, line);
    std::uint64_t digest = mixed(part.first_later, line.first_later_place());
    for (const auto at : part.places) digest = mixed(digest, at);
    std::vector<std::int32_t> names(sizes_.size(), 0);
    std::int32_t named = 0;
    for (const auto step : part.steps) {
        const auto slot = static_cast<std::size_t>(std::abs(step) - 1);
        if (names[slot] == 0) names[slot] = ++named;
        const auto size = static_cast<std::uint64_t>(step > 0 ? sizes_[slot] : 0);
        digest = mixed(digest, size << 34 ^ static_cast<std::uint64_t>(line.stream_of(slot)) << 32 ^
                                   static_cast<std::uint64_t>(names[slot]));
    }
    return digest;
}

bool ReservedPeaks::holds(bool small, const Outcome& outcome) const {
    for (std::size_t i = 0; i < scratch_.size(); ++i) {
        const auto part = scratch_of(small, scratch_[i]);
        const auto& room = outcome.rooms[i];
        if (room.grew ? part != room.scratch : part[0] + part[1] > room.bytes) return false;
    }
    return true;
}

ReservedPeaks::Outcome ReservedPeaks::replay(bool small, const TapeLine& line,
                                             const EstimateOptions& options) {
    CachingAllocator allocator(options.unlimited());
    // A free block may be too large for a request.
    const bool may_be_refused = options.allocator.max_split > 0;
    const auto& part = part_of(small, line);
    std::vector<CachingAllocator::Block> blocks(sizes_.size(), -1);
    Outcome out;
    out.rooms.reserve(scratch_.size());
    for (const auto& scratch : scratch_) {
        out.rooms.push_back({.bytes = std::numeric_limits<std::int64_t>::max(),
                             .grew = false,
                             .scratch = scratch_of(small, scratch)});
    }
    const auto take_scratch = [&](Room& room) {
        const auto largest = allocator.largest_free(small);
        if (room.scratch[0] + room.scratch[1] <= largest && !may_be_refused) {
            room.bytes = std::min(room.bytes, largest);
            return;
        }
        room.grew = true;
        std::array<CachingAllocator::Block, 2> taken = {-1, -1};
        for (std::size_t i = 0; i < 2; ++i)
            if (room.scratch[i] > 0) taken[i] = allocator.allocate(room.scratch[i]);
        for (const auto block : taken)
            if (block >= 0) allocator.free(block);
    };
    const auto run = [&](std::size_t next, std::size_t end, std::size_t place,
                         std::size_t last_place) {
        const auto run_up_to = [&](std::size_t last) {
            for (; next < last; ++next) {
                const auto step = part.steps[next];
                const auto slot = static_cast<std::size_t>(std::abs(step) - 1);
                if (step > 0)
                    blocks[slot] = allocator.allocate(sizes_[slot], line.stream_of(slot));
                else
                    allocator.free(blocks[slot]);
            }
        };
        for (; place < last_place; ++place) {
            run_up_to(part.places[place]);
            take_scratch(out.rooms[place]);
        }
        run_up_to(end);
    };
    run(0, part.first_later, 0, line.first_later_place());
    for (int step = 2; step <= options.steps; ++step) {
        const auto before = allocator.reserved();
        run(part.first_later, part.steps.size(), line.first_later_place(), line.places().size());
        // A later step frees all that it allocates. If no segment was added, the free blocks are
        // the initial ones, and the next step would repeat it.
        if (allocator.reserved() == before) break;
    }
    out.reserved = allocator.max_reserved();
    return out;
}

}  // namespace plimsoll::training
