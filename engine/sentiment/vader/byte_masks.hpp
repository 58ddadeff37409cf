#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll::sentiment::vader {

// Classification of 64 bytes of text: bit i stands for byte i.
struct ByteMasks {
    std::uint64_t space = 0;  // U+0009-000D, 001C-001F, 0020: Python's ASCII whitespace
    std::uint64_t upper = 0;  // A-Z
    std::uint64_t lower = 0;  // a-z
    std::uint64_t high = 0;   // bytes of code points above U+007F
    std::uint64_t exclamation = 0;
    std::uint64_t question = 0;
    std::uint64_t apostrophe = 0;
};

inline constexpr std::size_t kBlock = 64;

// Classifies the 64 bytes at `text` and writes them, A-Z made lower case, to `lowered`.
ByteMasks classify_block(const char* text, char* lowered);

// The same without vector instructions: the fallback, and the reference for tests.
ByteMasks classify_block_portably(const char* text, char* lowered);

}  // namespace plimsoll::sentiment::vader
