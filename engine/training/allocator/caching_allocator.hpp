#pragma once

#include "engine/training/allocator/free_blocks.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::training {

// Settings of PyTorch's CUDA caching allocator (PYTORCH_CUDA_ALLOC_CONF). Bytes; 0: off.
struct AllocatorSettings {
    std::int64_t limit = 0;            // memory the driver can provide; 0 = unlimited
    std::int64_t max_split = 0;        // max_split_size_mb
    bool expandable_segments = false;  // one growing segment per pool
    // The driver places a segment above those before it. Below them is what it does on Linux (seen
    // on an H100, driver 580): of two equal free blocks, the newer segment's is taken.
    bool segments_rise = false;
};
// As PyTorch's environment variable spells them; empty for its defaults.
std::string text_of(const AllocatorSettings& settings);

// A simulation of PyTorch's CUDA caching allocator (c10/cuda/CUDACachingAllocator.cpp): sizes
// rounded to 512 bytes, for every stream a small pool up to 1 MiB and a large one, best fit with
// the lowest address on ties, segments of 2 MiB, 20 MiB or the size rounded to 2 MiB, splitting,
// merging with free neighbours, and release of unsplit cached segments before an out-of-memory
// error.
class CachingAllocator {
  public:
    using Block = std::int32_t;
    static constexpr Block kOutOfMemory = -1;

    explicit CachingAllocator(const AllocatorSettings& settings = {});
    CachingAllocator(const CachingAllocator&) = delete;
    CachingAllocator& operator=(const CachingAllocator&) = delete;

    // The rounded size of a request, and whether the small pool serves it.
    static std::int64_t rounded(std::int64_t bytes) { return (bytes + 511) / 512 * 512; }
    static bool is_small(std::int64_t bytes) { return bytes <= 1 << 20; }

    // A block of at least `bytes` (more than 0), or kOutOfMemory. Streams number from 0, the
    // current one's, and do not share blocks.
    Block allocate(std::int64_t bytes, int stream = 0);
    void free(Block block);
    void set_limit(std::int64_t bytes) { settings_.limit = bytes; }

    std::int64_t block_bytes(Block block) const { return at(block).size; }
    std::int64_t allocated() const { return allocated_; }
    std::int64_t reserved() const { return reserved_; }
    std::int64_t max_allocated() const { return max_allocated_; }
    std::int64_t max_reserved() const { return max_reserved_; }
    std::int64_t retries() const { return retries_; }
    // The largest free block of stream 0's small or large pool, 0 if none: a smaller request that
    // is freed next changes nothing (unless max_split is set).
    std::int64_t largest_free(bool small) const {
        const auto block = (small ? small_ : large_).largest();
        return block < 0 ? 0 : at(block).size;
    }

  private:
    MemoryBlock& at(Block block) { return blocks_[static_cast<std::size_t>(block)]; }
    const MemoryBlock& at(Block block) const { return blocks_[static_cast<std::size_t>(block)]; }
    // Pools number from 0: the small and the large one of every stream.
    static constexpr std::size_t kPools = 6;
    static bool is_small_pool(std::uint8_t pool) { return pool % 2 == 0; }
    FreeBlocks& free_of(std::uint8_t pool) {
        return pool == 0 ? small_ : pool == 1 ? large_ : *others_[pool - 2U];
    }
    Block add_block(const MemoryBlock& block);
    Block make_block(const MemoryBlock& block);
    void drop_block(Block block) { spare_.push_back(block); }
    void put(Block block) { free_of(at(block).pool).insert(block); }
    void take(Block block) { free_of(at(block).pool).erase(block); }
    Block find(std::uint8_t pool, std::int64_t size);
    Block segment_for(std::int64_t size, std::uint8_t pool);
    Block new_segment(std::int64_t size, std::uint8_t pool);
    Block grow_expandable(std::int64_t size, std::uint8_t pool);
    void add_pool(std::uint8_t pool);
    Block split(Block block, std::int64_t size);
    void release_cached();
    void release_oversize(std::int64_t size);
    void release_if_whole(Block block);
    bool reserve(std::int64_t bytes);
    void merge(Block left, Block right);
    void move_tail(Block from, Block to);

    AllocatorSettings settings_;
    std::vector<MemoryBlock> blocks_;
    std::vector<Block> spare_;  // free entries of blocks_
    FreeBlocks small_{blocks_};
    FreeBlocks large_{blocks_};
    std::array<std::optional<FreeBlocks>, kPools - 2> others_;  // once they are used
    struct Expandable {
        Block tail = -1;
        std::int64_t top = 0;
    };
    std::array<Expandable, kPools> expandable_;
    std::int64_t next_segment_ = 0;  // below it, or above
    std::int64_t allocated_ = 0;
    std::int64_t reserved_ = 0;
    std::int64_t max_allocated_ = 0;
    std::int64_t max_reserved_ = 0;
    std::int64_t retries_ = 0;
};

}  // namespace plimsoll::training
