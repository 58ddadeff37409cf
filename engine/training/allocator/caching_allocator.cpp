#include "engine/training/allocator/caching_allocator.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace plimsoll::training {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kSmallest = 512;
constexpr std::int64_t kSmallLimit = kMiB;  // largest size of the small pool
constexpr std::int64_t kSmallSegment = 2 * kMiB;
constexpr std::int64_t kLargeSegment = 20 * kMiB;  // for sizes up to kLargeLimit
constexpr std::int64_t kLargeLimit = 10 * kMiB;
constexpr std::int64_t kSegmentRounding = 2 * kMiB;

std::int64_t round_up(std::int64_t n, std::int64_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

std::int64_t segment_size(std::int64_t size) {
    if (size <= kSmallLimit) return kSmallSegment;
    if (size < kLargeLimit) return kLargeSegment;
    return round_up(size, kSegmentRounding);
}

}  // namespace

CachingAllocator::CachingAllocator(const AllocatorSettings& settings) : settings_(settings) {
    for (std::size_t pool = 0; pool < kPools; ++pool)
        expandable_[pool].top = static_cast<std::int64_t>(pool) << 43;
}

// What is rare stays outside of what is inlined.
[[gnu::noinline]] CachingAllocator::Block CachingAllocator::add_block(const MemoryBlock& block) {
    blocks_.push_back(block);
    return static_cast<Block>(blocks_.size()) - 1;
}

[[gnu::always_inline]] inline CachingAllocator::Block CachingAllocator::make_block(
    const MemoryBlock& block) {
    if (spare_.empty()) return add_block(block);
    const Block index = spare_.back();
    spare_.pop_back();
    at(index) = block;
    return index;
}

[[gnu::always_inline]] inline CachingAllocator::Block CachingAllocator::find(std::uint8_t pool,
                                                                             std::int64_t size) {
    const Block block = free_of(pool).best_fit(size);
    if (block < 0) return kOutOfMemory;
    if (settings_.max_split > 0 && !settings_.expandable_segments) {
        // Oversize blocks are not given to small requests, nor to much smaller oversize ones.
        const auto found = at(block).size;
        if (size < settings_.max_split && found >= settings_.max_split) return kOutOfMemory;
        if (size >= settings_.max_split && found >= size + kLargeSegment) return kOutOfMemory;
    }
    return block;
}

bool CachingAllocator::reserve(std::int64_t bytes) {
    if (settings_.limit > 0 && reserved_ + bytes > settings_.limit) return false;
    reserved_ += bytes;
    max_reserved_ = std::max(max_reserved_, reserved_);
    return true;
}

CachingAllocator::Block CachingAllocator::new_segment(std::int64_t size, std::uint8_t pool) {
    if (settings_.expandable_segments) return grow_expandable(size, pool);
    const std::int64_t bytes = segment_size(size);
    if (!reserve(bytes)) return kOutOfMemory;
    if (!settings_.segments_rise) next_segment_ -= bytes;
    const Block block = make_block({.address = next_segment_, .size = bytes, .pool = pool});
    if (settings_.segments_rise) next_segment_ += bytes;
    return block;
}

// One virtual segment per pool: pages are mapped after its last block, which they join if it is
// free.
CachingAllocator::Block CachingAllocator::grow_expandable(std::int64_t size, std::uint8_t pool) {
    const std::int64_t page = is_small_pool(pool) ? kSmallSegment : kLargeSegment;
    auto& [tail, top] = expandable_[pool];
    const bool tail_free = tail >= 0 && !at(tail).used;
    const std::int64_t missing = size - (tail_free ? at(tail).size : 0);
    const std::int64_t bytes = round_up(missing, page);
    if (!reserve(bytes)) return kOutOfMemory;
    if (tail_free) {
        take(tail);
        at(tail).size += bytes;
    } else {
        const Block block =
            make_block({.address = top, .size = bytes, .previous = tail, .pool = pool});
        if (tail >= 0) at(tail).next = block;
        tail = block;
    }
    top += bytes;
    return tail;
}

// The free remainder after `size`, -1 if the whole block is allocated.
[[gnu::always_inline]] inline CachingAllocator::Block CachingAllocator::split(Block block,
                                                                              std::int64_t size) {
    const MemoryBlock whole = at(block);
    const std::int64_t rest = whole.size - size;
    const bool splits =
        is_small_pool(whole.pool) || settings_.expandable_segments
            ? rest >= kSmallest
            : rest > kSmallLimit && (settings_.max_split == 0 || size < settings_.max_split);
    if (!splits) return -1;
    const Block remaining = make_block({.address = whole.address + size,
                                        .size = rest,
                                        .previous = block,
                                        .next = whole.next,
                                        .pool = whole.pool});
    if (whole.next >= 0) at(whole.next).previous = remaining;
    at(block).next = remaining;
    at(block).size = size;
    move_tail(block, remaining);
    return remaining;
}

[[gnu::noinline]] CachingAllocator::Block CachingAllocator::segment_for(std::int64_t size,
                                                                        std::uint8_t pool) {
    Block block = new_segment(size, pool);
    if (block >= 0) return block;
    ++retries_;
    release_oversize(size);
    block = new_segment(size, pool);
    if (block >= 0) return block;
    release_cached();
    return new_segment(size, pool);
}

[[gnu::noinline]] void CachingAllocator::add_pool(std::uint8_t pool) {
    if (!others_[pool - 2U]) others_[pool - 2U].emplace(blocks_);
}

CachingAllocator::Block CachingAllocator::allocate(std::int64_t bytes, int stream) {
    const std::int64_t size = std::max(kSmallest, rounded(bytes));
    const auto pool = static_cast<std::uint8_t>(2 * stream + (is_small(size) ? 0 : 1));
    if (stream > 0) add_pool(pool);
    Block block = find(pool, size);
    const bool cached = block >= 0;
    if (!cached) {
        block = segment_for(size, pool);
        if (block < 0) return kOutOfMemory;
    }
    const Block remaining = split(block, size);
    if (cached && remaining >= 0)
        free_of(pool).replace(block, remaining);
    else if (cached)
        take(block);
    else if (remaining >= 0)
        put(remaining);
    at(block).used = true;
    allocated_ += at(block).size;
    max_allocated_ = std::max(max_allocated_, allocated_);
    return block;
}

void CachingAllocator::move_tail(Block from, Block to) {
    for (auto& segment : expandable_)
        if (segment.tail == from) segment.tail = to;
}

[[gnu::always_inline]] inline void CachingAllocator::merge(Block left, Block right) {
    at(left).size += at(right).size;
    at(left).next = at(right).next;
    if (at(right).next >= 0) at(at(right).next).previous = left;
    move_tail(right, left);
    drop_block(right);
}

void CachingAllocator::free(Block block) {
    allocated_ -= at(block).size;
    at(block).used = false;
    const Block before = at(block).previous, after = at(block).next;
    const bool joins_before = before >= 0 && !at(before).used;
    if (after >= 0 && !at(after).used) {
        merge(block, after);
        if (!joins_before) return free_of(at(block).pool).replace(after, block);
        take(after);
    }
    if (!joins_before) return put(block);
    merge(before, block);
    free_of(at(before).pool).replace(before, before);
}

// With max_split_size, an oversize request first frees cached oversize blocks, largest needed
// first.
void CachingAllocator::release_oversize(std::int64_t size) {
    if (settings_.max_split == 0 || settings_.expandable_segments) return;
    const std::int64_t wanted = std::max(size, settings_.max_split);
    for (Block block = large_.largest(); block >= 0 && at(block).size >= wanted;) {
        const Block next = large_.next_smaller(block);
        release_if_whole(block);
        block = next;
    }
}

// A block without neighbours is a whole segment, which is returned to the driver.
void CachingAllocator::release_if_whole(Block block) {
    if (at(block).previous >= 0 || at(block).next >= 0) return;
    reserved_ -= at(block).size;
    take(block);
    drop_block(block);
}

// Segments that are one free block are returned to the driver; an expandable segment returns whole
// pages at its end.
void CachingAllocator::release_cached() {
    if (settings_.expandable_segments) {
        for (std::uint8_t pool = 0; pool < kPools; ++pool) {
            auto& [tail, top] = expandable_[pool];
            if (tail < 0 || at(tail).used) continue;
            const std::int64_t page = is_small_pool(pool) ? kSmallSegment : kLargeSegment;
            const std::int64_t bytes = at(tail).size / page * page;
            if (bytes == 0) continue;
            take(tail);
            reserved_ -= bytes;
            top -= bytes;
            at(tail).size -= bytes;
            if (at(tail).size > 0) {
                put(tail);
                continue;
            }
            const Block before = at(tail).previous;
            if (before >= 0) at(before).next = -1;
            drop_block(tail);
            tail = before;
        }
        return;
    }
    for (std::uint8_t pool = 0; pool < kPools; ++pool) {
        if (pool >= 2 && !others_[pool - 2U]) continue;
        auto& free = free_of(pool);
        for (Block block = free.largest(); block >= 0;) {
            const Block next = free.next_smaller(block);
            release_if_whole(block);
            block = next;
        }
    }
}

std::string text_of(const AllocatorSettings& a) {
    std::string out;
    if (a.expandable_segments) out = "expandable_segments:True";
    if (a.max_split > 0)
        out += fmt::format("{}max_split_size_mb:{}", out.empty() ? "" : ",", a.max_split >> 20);
    return out;
}

}  // namespace plimsoll::training
