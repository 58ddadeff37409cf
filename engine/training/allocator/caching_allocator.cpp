#include "engine/training/allocator/caching_allocator.hpp"

#include <algorithm>

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

CachingAllocator::CachingAllocator(const AllocatorSettings& settings) : settings_(settings) {}

CachingAllocator::Block CachingAllocator::make_node(const Node& node) {
    if (spare_.empty()) {
        nodes_.push_back(node);
        return static_cast<Block>(nodes_.size()) - 1;
    }
    const Block block = spare_.back();
    spare_.pop_back();
    at(block) = node;
    return block;
}

void CachingAllocator::drop_node(Block block) {
    spare_.push_back(block);
}

// 28 bits of size (up to 128 GiB) above 36 bits of address (32 TiB).
std::uint64_t CachingAllocator::key_of(std::int64_t size, std::int64_t address) {
    return static_cast<std::uint64_t>(size / kSmallest) << 36 |
           static_cast<std::uint64_t>(address / kSmallest);
}

std::int64_t CachingAllocator::size_of(std::uint64_t key) {
    return static_cast<std::int64_t>(key >> 36) * kSmallest;
}

void CachingAllocator::Pool::insert(std::uint64_t key, Block block) {
    const auto at = std::upper_bound(keys.begin(), keys.end(), key) - keys.begin();
    keys.insert(keys.begin() + at, key);
    blocks.insert(blocks.begin() + at, block);
}

void CachingAllocator::Pool::erase(std::size_t index) {
    keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(index));
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(index));
}

void CachingAllocator::put(Block block) {
    const auto& node = at(block);
    pool(node.small).insert(key_of(node.size, node.address), block);
}

void CachingAllocator::take(Block block) {
    const auto& node = at(block);
    auto& p = pool(node.small);
    const auto key = key_of(node.size, node.address);
    p.erase(static_cast<std::size_t>(std::lower_bound(p.keys.begin(), p.keys.end(), key) -
                                     p.keys.begin()));
}

CachingAllocator::Block CachingAllocator::find(bool small, std::int64_t size) {
    auto& p = pool(small);
    const auto fit = std::lower_bound(p.keys.begin(), p.keys.end(), key_of(size, 0));
    if (fit == p.keys.end()) return kOutOfMemory;
    if (settings_.max_split > 0 && !settings_.expandable_segments) {
        // Oversize blocks are not given to small requests, nor to much smaller oversize ones.
        if (size < settings_.max_split && size_of(*fit) >= settings_.max_split) return kOutOfMemory;
        if (size >= settings_.max_split && size_of(*fit) >= size + kLargeSegment)
            return kOutOfMemory;
    }
    const auto index = static_cast<std::size_t>(fit - p.keys.begin());
    const Block block = p.blocks[index];
    p.erase(index);
    return block;
}

bool CachingAllocator::reserve(std::int64_t bytes) {
    if (settings_.limit > 0 && reserved_ + bytes > settings_.limit) return false;
    reserved_ += bytes;
    max_reserved_ = std::max(max_reserved_, reserved_);
    return true;
}

CachingAllocator::Block CachingAllocator::new_segment(std::int64_t size, bool small) {
    if (settings_.expandable_segments) return grow_expandable(size, small);
    const std::int64_t bytes = segment_size(size);
    if (!reserve(bytes)) return kOutOfMemory;
    auto& top = top_[0];
    const Block block = make_node({top, bytes, -1, -1, false, small});
    top += bytes + kSegmentRounding;  // never adjacent to another segment
    return block;
}

// One virtual segment a pool: pages are mapped behind its last block, which they join if it is
// free.
CachingAllocator::Block CachingAllocator::grow_expandable(std::int64_t size, bool small) {
    const std::int64_t page = small ? kSmallSegment : kLargeSegment;
    Block& tail = expandable_tail_[small ? 0 : 1];
    const bool tail_free = tail >= 0 && !at(tail).used;
    const std::int64_t missing = size - (tail_free ? at(tail).size : 0);
    const std::int64_t bytes = round_up(missing, page);
    if (!reserve(bytes)) return kOutOfMemory;
    auto& top = top_[small ? 1 : 0];
    if (tail_free) {
        take(tail);
        at(tail).size += bytes;
    } else {
        const Block block = make_node({top, bytes, tail, -1, false, small});
        if (tail >= 0) at(tail).next = block;
        tail = block;
    }
    top += bytes;
    return tail;
}

void CachingAllocator::split(Block block, std::int64_t size) {
    const Node whole = at(block);
    const std::int64_t rest = whole.size - size;
    const bool splits =
        whole.small || settings_.expandable_segments
            ? rest >= kSmallest
            : rest > kSmallLimit && (settings_.max_split == 0 || size < settings_.max_split);
    if (!splits) return;
    const Block remaining =
        make_node({whole.address + size, rest, block, whole.next, false, whole.small});
    if (whole.next >= 0) at(whole.next).previous = remaining;
    at(block).next = remaining;
    at(block).size = size;
    for (auto& tail : expandable_tail_)
        if (tail == block) tail = remaining;
    put(remaining);
}

CachingAllocator::Block CachingAllocator::allocate(std::int64_t bytes) {
    const std::int64_t size = std::max(kSmallest, round_up(bytes, kSmallest));
    const bool small = size <= kSmallLimit;
    Block block = find(small, size);
    if (block < 0) block = new_segment(size, small);
    if (block < 0) {
        ++retries_;
        release_oversize(size);
        block = new_segment(size, small);
        if (block < 0) {
            release_cached();
            block = new_segment(size, small);
        }
        if (block < 0) return kOutOfMemory;
    }
    split(block, size);
    at(block).used = true;
    allocated_ += at(block).size;
    max_allocated_ = std::max(max_allocated_, allocated_);
    return block;
}

CachingAllocator::Block CachingAllocator::merge(Block left, Block right) {
    at(left).size += at(right).size;
    at(left).next = at(right).next;
    if (at(right).next >= 0) at(at(right).next).previous = left;
    for (auto& tail : expandable_tail_)
        if (tail == right) tail = left;
    drop_node(right);
    return left;
}

void CachingAllocator::free(Block block) {
    allocated_ -= at(block).size;
    at(block).used = false;
    const Block before = at(block).previous;
    if (before >= 0 && !at(before).used) {
        take(before);
        block = merge(before, block);
    }
    const Block after = at(block).next;
    if (after >= 0 && !at(after).used) {
        take(after);
        block = merge(block, after);
    }
    put(block);
}

// With max_split_size, an oversize request first frees cached oversize blocks, largest needed
// first.
void CachingAllocator::release_oversize(std::int64_t size) {
    if (settings_.max_split == 0 || settings_.expandable_segments) return;
    auto& p = pool(false);
    const std::int64_t wanted = std::max(size, settings_.max_split);
    for (std::size_t i = p.keys.size(); i-- > 0 && size_of(p.keys[i]) >= wanted;)
        release_if_whole(p, i);
}

// A block without neighbours is a whole segment: back to the driver with it.
bool CachingAllocator::release_if_whole(Pool& p, std::size_t index) {
    const Block block = p.blocks[index];
    if (at(block).previous >= 0 || at(block).next >= 0) return false;
    reserved_ -= at(block).size;
    drop_node(block);
    p.erase(index);
    return true;
}

// Segments that are one free block go back to the driver; an expandable segment gives back whole
// pages at its end.
void CachingAllocator::release_cached() {
    if (settings_.expandable_segments) {
        for (const bool small : {true, false}) {
            Block& tail = expandable_tail_[small ? 0 : 1];
            if (tail < 0 || at(tail).used) continue;
            const std::int64_t page = small ? kSmallSegment : kLargeSegment;
            const std::int64_t bytes = at(tail).size / page * page;
            if (bytes == 0) continue;
            take(tail);
            reserved_ -= bytes;
            top_[small ? 1 : 0] -= bytes;
            at(tail).size -= bytes;
            if (at(tail).size > 0) {
                put(tail);
                continue;
            }
            const Block before = at(tail).previous;
            if (before >= 0) at(before).next = -1;
            drop_node(tail);
            tail = before;
        }
        return;
    }
    for (auto& p : pools_)
        for (std::size_t i = p.keys.size(); i-- > 0;) release_if_whole(p, i);
}

}  // namespace plimsoll::training
