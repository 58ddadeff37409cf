#include "engine/training/estimate/reserved_peaks.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace plimsoll::training {
namespace {

std::uint64_t mixed(std::uint64_t digest, std::uint64_t value) {
    digest = (digest ^ value) * 0x9E3779B97F4A7C15U;
    return digest << 29 | digest >> 35;
}

bool is_of(bool small, std::int64_t bytes) {
    return bytes > 0 && CachingAllocator::is_small(bytes) == small;
}

TapeLine::Scratch part_of(bool small, const TapeLine::Scratch& scratch) {
    return {is_of(small, scratch[0]) ? scratch[0] : 0, is_of(small, scratch[1]) ? scratch[1] : 0};
}

}  // namespace

// Without a limit nothing is released: the pools' peaks are their final sizes.
std::int64_t ReservedPeaks::operator()(const TapeLine& line, std::int64_t batch,
                                       const TapeDevice& device, const EstimateOptions& options) {
    line.sizes_at(batch, sizes_);
    line.scratch_at(batch, device, scratch_);
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

// Everything that the small pool's replay follows, in order; of places only how many there are.
std::uint64_t ReservedPeaks::digest_of_small(const TapeLine& line) const {
    std::uint64_t digest = line.places().size();
    std::vector<std::int32_t> names(sizes_.size(), 0);
    std::int32_t named = 0;
    std::size_t place = 0;
    const auto& steps = line.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i == line.first_later()) digest = mixed(digest, 1);
        for (;
             place < line.places().size() && static_cast<std::size_t>(line.places()[place].at) == i;
             ++place)
            digest = mixed(digest, 2);
        const auto slot = static_cast<std::size_t>(std::abs(steps[i]) - 1);
        if (!CachingAllocator::is_small(sizes_[slot])) continue;
        if (names[slot] == 0) names[slot] = ++named;
        digest = mixed(digest, static_cast<std::uint64_t>(steps[i] > 0 ? sizes_[slot] : 0) << 32 ^
                                   static_cast<std::uint64_t>(names[slot]));
    }
    return digest;
}

bool ReservedPeaks::holds(bool small, const Outcome& outcome) const {
    for (std::size_t i = 0; i < scratch_.size(); ++i) {
        const auto part = part_of(small, scratch_[i]);
        const auto& room = outcome.rooms[i];
        if (room.grew ? part != room.scratch : part[0] + part[1] > room.bytes) return false;
    }
    return true;
}

ReservedPeaks::Outcome ReservedPeaks::replay(bool small, const TapeLine& line,
                                             const EstimateOptions& options) const {
    CachingAllocator allocator(options.unlimited());
    // A free block may be too large for a request.
    const bool may_be_refused = options.allocator.max_split > 0;
    std::vector<CachingAllocator::Block> blocks(sizes_.size(), -1);
    Outcome out;
    for (const auto& scratch : scratch_) {
        out.rooms.push_back({.bytes = std::numeric_limits<std::int64_t>::max(),
                             .grew = false,
                             .scratch = part_of(small, scratch)});
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
    const auto& steps = line.steps();
    const auto& places = line.places();
    const auto run = [&](std::size_t begin, std::size_t end, std::size_t place,
                         std::size_t last_place) {
        for (std::size_t i = begin; i < end; ++i) {
            for (; place < last_place && static_cast<std::size_t>(places[place].at) == i; ++place)
                take_scratch(out.rooms[place]);
            const auto slot = static_cast<std::size_t>(std::abs(steps[i]) - 1);
            if (CachingAllocator::is_small(sizes_[slot]) != small) continue;
            if (steps[i] > 0)
                blocks[slot] = allocator.allocate(sizes_[slot]);
            else
                allocator.free(blocks[slot]);
        }
        for (; place < last_place; ++place) take_scratch(out.rooms[place]);
    };
    run(0, line.first_later(), 0, line.first_later_place());
    for (int step = 2; step <= options.steps; ++step) {
        const auto before = allocator.reserved();
        run(line.first_later(), steps.size(), line.first_later_place(), places.size());
        // A later step frees all that it allocates. If no segment was added, the free blocks are
        // the initial ones, and the next step would repeat it.
        if (allocator.reserved() == before) break;
    }
    out.reserved = allocator.max_reserved();
    return out;
}

}  // namespace plimsoll::training
