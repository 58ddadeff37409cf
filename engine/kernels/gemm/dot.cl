// What processors multiply by METHOD: FP32, or pairs of bf16 whose two products are added to a sum in fp32
// (BF16: AVX512-BF16's instructions, by inline assembly since PoCL compiles for Skylake; AMX: its tiles), or fours of
// bytes, unsigned by signed, whose products are added to a sum of 32 bits (INT8: AVX512-VNNI; INT8_AVX2: AVX2). Bytes of
// A are at most 127: then no step of AVX2's saturates, and both methods find the same sums.

#if METHOD == FP32

#define PER_WORD 1
typedef float word;
typedef float16 words;
typedef float16 sums_of_words;
#define ADD_PRODUCT(sum, a, b) sum = fma((float16)(a), b, sum)

#elif METHOD == INT8 || METHOD == INT8_AVX2

#define PER_WORD 4
typedef uint word;
typedef uint16 words;
typedef int16 sums_of_words;

#if METHOD == INT8

#define ADD_PRODUCT(sum, a, b) __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"((uint16)(a)), "v"(b))

#else

// Products of two bytes are added by pairs, and these by pairs.
inline int8 products_of_bytes(uint8 a, uint8 b) {
    int8 pairs;
    __asm__("vpmaddubsw %2, %1, %0" : "=x"(pairs) : "x"(a), "x"(b));
    int8 fours;
    __asm__("vpmaddwd %2, %1, %0" : "=x"(fours) : "x"(pairs), "x"((int8)0x00010001));
    return fours;
}
#define ADD_PRODUCT(sum, a, b)                                        \
    {                                                                 \
        sum.lo += products_of_bytes((uint8)(a), (b).lo);              \
        sum.hi += products_of_bytes((uint8)(a), (b).hi);              \
    }

#endif

#else

#define PER_WORD 2  // neighbours along the sum
typedef uint word;
typedef uint16 words;
typedef float16 sums_of_words;

#if METHOD == BF16

#define ADD_PRODUCT(sum, a, b) __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"((uint16)(a)), "v"(b))

inline ushort16 round_to_bf16(float16 value) {
    ushort16 rounded;
    __asm__("vcvtneps2bf16 %1, %0" : "=v"(rounded) : "v"(value));
    return rounded;
}

// Lane i is the pair of first[i] and second[i].
inline words bf16_pairs(ushort16 first, ushort16 second) {
    return __builtin_astype(
        __builtin_shufflevector(first, second, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10,
                                26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
        words);
}

#else

// Processors with tiles may not have proven the other instructions.
inline ushort16 round_to_bf16(float16 value) {
    const uint16 bits = as_uint16(value);
    return convert_ushort16((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

#endif

typedef ushort16 unaligned_bf16 __attribute__((aligned(2)));

// Numbers of p from i on, of `count`, rounded.
inline void store_rounded(float16 value, __global ushort* p, uint i, uint count) {
    const ushort16 rounded = round_to_bf16(value);
    if (i + 16 <= count) {
        *(__global unaligned_bf16*)(p + i) = rounded;
        return;
    }
    ushort lane[16];
    vstore16(rounded, 0, lane);
    for (uint j = 0; i + j < count; ++j) p[i + j] = lane[j];
}

#endif

#define as_words(x) __builtin_astype(x, words)
