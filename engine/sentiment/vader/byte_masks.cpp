#include "engine/sentiment/vader/byte_masks.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace plimsoll::sentiment::vader {

ByteMasks classify_block_portably(const char* text, char* lowered) {
    ByteMasks masks;
    for (std::size_t i = 0; i < kBlock; ++i) {
        const auto byte = static_cast<std::uint8_t>(text[i]);
        const std::uint64_t bit = std::uint64_t{1} << i;
        const bool upper = byte >= 'A' && byte <= 'Z';
        if (byte == ' ' || (byte >= 0x09 && byte <= 0x0D) || (byte >= 0x1C && byte <= 0x1F))
            masks.space |= bit;
        if (upper) masks.upper |= bit;
        if (byte >= 'a' && byte <= 'z') masks.lower |= bit;
        if (byte >= 0x80) masks.high |= bit;
        if (byte == '!') masks.exclamation |= bit;
        if (byte == '?') masks.question |= bit;
        if (byte == '\'') masks.apostrophe |= bit;
        lowered[i] = static_cast<char>(upper ? byte + 0x20 : byte);
    }
    return masks;
}

#if defined(__SSE2__)

namespace {

__m128i bytes(int value) { return _mm_set1_epi8(static_cast<char>(value)); }

// Bytes in [first, first + width], unsigned.
__m128i in_range(__m128i v, int first, int width) {
    const __m128i offset = _mm_sub_epi8(v, bytes(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(offset, bytes(width)), offset);
}

std::uint64_t bits(__m128i lanes, std::size_t at) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(lanes))) << at;
}

}  // namespace

ByteMasks classify_block(const char* text, char* lowered) {
    ByteMasks masks;
    for (std::size_t at = 0; at < kBlock; at += 16) {
        const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
        const __m128i upper = in_range(v, 'A', 25);
        const __m128i space =
            _mm_or_si128(_mm_cmpeq_epi8(v, bytes(' ')),
                         _mm_or_si128(in_range(v, 0x09, 4), in_range(v, 0x1C, 3)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(lowered + at),
                         _mm_or_si128(v, _mm_and_si128(upper, bytes(0x20))));
        masks.space |= bits(space, at);
        masks.upper |= bits(upper, at);
        masks.lower |= bits(in_range(v, 'a', 25), at);
        masks.high |= bits(v, at);
        masks.exclamation |= bits(_mm_cmpeq_epi8(v, bytes('!')), at);
        masks.question |= bits(_mm_cmpeq_epi8(v, bytes('?')), at);
        masks.apostrophe |= bits(_mm_cmpeq_epi8(v, bytes('\'')), at);
    }
    return masks;
}

#else

ByteMasks classify_block(const char* text, char* lowered) {
    return classify_block_portably(text, lowered);
}

#endif

}  // namespace plimsoll::sentiment::vader
