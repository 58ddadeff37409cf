#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace plimsoll::training {

// A piece of a segment, in use or free. Bytes, multiples of 512.
struct MemoryBlock {
    std::int64_t address = 0;
    std::int64_t size = 0;
    std::int32_t previous = -1;  // neighbours in the segment
    std::int32_t next = -1;
    std::int32_t smaller = -1;  // neighbours among the free blocks of its class
    std::int32_t larger = -1;
    std::uint16_t size_class = 0;  // while it is free
    bool used = false;
    bool small = false;
};

// The free blocks of a pool, ordered by size, then address. Sizes of one class (an eighth of a
// power of two) are a linked list, and a bit a class says whether it is empty: what a replay does
// ten thousand times touches two or three blocks instead of searching and moving a sorted array.
// Everything is inline because it is the inner loop of every estimate.
class FreeBlocks {
  public:
    explicit FreeBlocks(std::vector<MemoryBlock>& blocks) : blocks_(blocks) {
        first_.fill(-1);
        last_.fill(-1);
    }

    void insert(std::int32_t index) {
        auto& block = at(index);
        const auto c = class_of(block.size);
        std::int32_t before = last_[c];
        std::int32_t after = -1;
        if (before >= 0 && ordered(block, at(before))) {
            for (after = first_[c]; ordered(at(after), block);) after = at(after).larger;
            before = at(after).smaller;
        }
        block.size_class = static_cast<std::uint16_t>(c);
        block.smaller = before;
        block.larger = after;
        (before >= 0 ? at(before).larger : first_[c]) = index;
        (after >= 0 ? at(after).smaller : last_[c]) = index;
        filled_[c / 64] |= std::uint64_t{1} << c % 64;
    }

    void erase(std::int32_t index) {
        const auto& block = at(index);
        const std::size_t c = block.size_class;
        (block.smaller >= 0 ? at(block.smaller).larger : first_[c]) = block.larger;
        (block.larger >= 0 ? at(block.larger).smaller : last_[c]) = block.smaller;
        if (first_[c] < 0) filled_[c / 64] &= ~(std::uint64_t{1} << c % 64);
    }

    // The smallest free block of at least `size`, the lowest address among equals; -1 if none.
    std::int32_t best_fit(std::int64_t size) const {
        const auto c = class_of(size);
        for (auto index = first_[c]; index >= 0; index = at(index).larger)
            if (at(index).size >= size) return index;
        auto word = c / 64;
        auto above = filled_[word] & (~std::uint64_t{1} << c % 64);  // classes after c
        while (above == 0) {
            if (++word == filled_.size()) return -1;
            above = filled_[word];
        }
        return first_[word * 64 + static_cast<std::size_t>(std::countr_zero(above))];
    }

    // The largest free block, and the next smaller one; -1 if none.
    std::int32_t largest() const { return last_below(kClasses); }
    std::int32_t next_smaller(std::int32_t index) const {
        return at(index).smaller >= 0 ? at(index).smaller : last_below(at(index).size_class);
    }

  private:
    static constexpr std::size_t kExact = 16;  // up to 15 units, each size is a class
    static constexpr std::size_t kClasses = 320;

    static std::size_t class_of(std::int64_t size) {
        const auto units = static_cast<std::uint64_t>(size) / 512;
        if (units < kExact) return static_cast<std::size_t>(units);
        const auto exponent = static_cast<std::size_t>(std::bit_width(units)) - 1;
        return kExact + (exponent - 4) * 8 +
               (static_cast<std::size_t>(units >> (exponent - 3)) & 7U);
    }
    static bool ordered(const MemoryBlock& a, const MemoryBlock& b) {
        return a.size != b.size ? a.size < b.size : a.address < b.address;
    }
    MemoryBlock& at(std::int32_t index) const { return blocks_[static_cast<std::size_t>(index)]; }
    std::int32_t last_below(std::size_t end) const {
        while (end > 0)
            if (last_[--end] >= 0) return last_[end];
        return -1;
    }

    std::vector<MemoryBlock>& blocks_;
    std::array<std::int32_t, kClasses> first_;
    std::array<std::int32_t, kClasses> last_;
    std::array<std::uint64_t, kClasses / 64> filled_{};
};

}  // namespace plimsoll::training
