#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
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
    std::uint8_t pool = 0;
};

// The free blocks of a pool, ordered by size, then address. Sizes of one class (an eighth of a
// power of two) form a ring through its head, and one bit per class marks non-empty classes: an
// operation repeated ten thousand times in a replay touches two or three blocks instead of
// searching and shifting a sorted array. Everything is inlined, and compilers are told so: it is
// the inner loop of every estimate.
class FreeBlocks {
  public:
    // Takes kClasses entries at the end of `blocks` for the rings' heads.
    explicit FreeBlocks(std::vector<MemoryBlock>& blocks)
        : blocks_(blocks), head_(static_cast<std::int32_t>(blocks.size())) {
        blocks.resize(blocks.size() + kClasses);
        for (std::int32_t head = head_; head < head_ + kClasses; ++head)
            at(head).smaller = at(head).larger = head;
    }

    [[gnu::always_inline]] void insert(std::int32_t index) {
        MemoryBlock* const all = blocks_.data();
        auto& block = all[index];
        const auto c = class_of(block.size);
        const std::int32_t head = head_ + c;
        std::int32_t before = all[head].smaller;
        if (before != head && ordered(block, all[before]))
            for (before = head; ordered(all[all[before].larger], block);)
                before = all[before].larger;
        const std::int32_t after = all[before].larger;
        block.size_class = static_cast<std::uint16_t>(c);
        block.smaller = before;
        block.larger = after;
        all[before].larger = index;
        all[after].smaller = index;
        const auto bit = static_cast<unsigned>(c);
        filled_[bit / 64] |= std::uint64_t{1} << bit % 64;
    }

    [[gnu::always_inline]] void erase(std::int32_t index) {
        MemoryBlock* const all = blocks_.data();
        const auto [smaller, larger] = std::pair(all[index].smaller, all[index].larger);
        all[smaller].larger = larger;
        all[larger].smaller = smaller;
        const unsigned c = all[index].size_class;
        filled_[c / 64] &= ~(static_cast<std::uint64_t>(smaller == larger) << c % 64);
    }

    // Replaces `old` with `fresh`, which may be the same block with another size; in place if the
    // order allows, as the remainder of a split block mostly does.
    [[gnu::always_inline]] void replace(std::int32_t old, std::int32_t fresh) {
        MemoryBlock* const all = blocks_.data();
        const auto [smaller, larger] = std::pair(all[old].smaller, all[old].larger);
        const auto c = all[old].size_class;
        const std::int32_t head = head_ + c;
        if (class_of(all[fresh].size) != c ||
            (smaller != head && !ordered(all[smaller], all[fresh])) ||
            (larger != head && !ordered(all[fresh], all[larger]))) {
            erase(old);
            insert(fresh);
            return;
        }
        all[fresh].size_class = c;
        all[fresh].smaller = smaller;
        all[fresh].larger = larger;
        all[smaller].larger = fresh;
        all[larger].smaller = fresh;
    }

    // The smallest free block of at least `size`, the lowest address among equals; -1 if none.
    [[gnu::always_inline]] std::int32_t best_fit(std::int64_t size) const {
        const auto c = class_of(size);
        const std::int32_t head = head_ + c;
        const MemoryBlock* const all = blocks_.data();
        for (auto index = all[head].larger; index != head; index = all[index].larger)
            if (all[index].size >= size) return index;
        std::size_t word = static_cast<unsigned>(c) / 64;
        auto above = filled_[word] &
                     (~std::uint64_t{1} << static_cast<unsigned>(c) % 64);  // classes after c
        while (above == 0) {
            if (++word == filled_.size()) return -1;
            above = filled_[word];
        }
        return at(head_ + static_cast<std::int32_t>(word * 64) + std::countr_zero(above)).larger;
    }

    // The largest free block, and the next smaller one; -1 if none.
    std::int32_t largest() const { return last_below(kClasses); }
    std::int32_t next_smaller(std::int32_t index) const {
        const auto smaller = at(index).smaller;
        const std::int32_t c = at(index).size_class;
        return smaller == head_ + c ? last_below(c) : smaller;
    }

  private:
    static constexpr std::int32_t kClasses = 384;  // up to 2^57 bytes

    // The exponent of a floating-point number and the first three bits that follow: up to 15 units,
    // each size is a class.
    static std::int32_t class_of(std::int64_t size) {
        constexpr std::uint64_t below = 1023 * 8;  // the number 1's
        const auto units = static_cast<double>(size >> 9);
        return static_cast<std::int32_t>((std::bit_cast<std::uint64_t>(units) >> 49) - below);
    }
    static bool ordered(const MemoryBlock& a, const MemoryBlock& b) {
        return a.size != b.size ? a.size < b.size : a.address < b.address;
    }
    MemoryBlock& at(std::int32_t index) const { return blocks_[static_cast<std::size_t>(index)]; }
    std::int32_t last_below(std::int32_t c) const {  // of the classes below c
        for (auto word = (c + 63) / 64; word-- > 0;) {
            auto filled = filled_[static_cast<std::size_t>(word)];
            if (word == c / 64) filled &= (std::uint64_t{1} << c % 64) - 1;
            if (filled == 0) continue;
            return at(head_ + word * 64 + std::bit_width(filled) - 1).smaller;
        }
        return -1;
    }

    std::vector<MemoryBlock>& blocks_;
    std::int32_t head_;
    std::array<std::uint64_t, kClasses / 64> filled_{};
};

}  // namespace plimsoll::training
