// What processors multiply by METHOD: FP32, or pairs of bf16 whose two products are added to a sum in fp32
// (BF16: AVX512-BF16's instructions, by inline assembly since PoCL compiles for Skylake; AMX: its tiles).

#if METHOD == FP32

#define PER_WORD 1
typedef float word;
typedef float16 words;
#define ADD_PRODUCT(sum, a, b) sum = fma((float16)(a), b, sum)

#else

#define PER_WORD 2  // neighbours along the sum
typedef uint word;
typedef uint16 words;

#if METHOD == BF16

#define ADD_PRODUCT(sum, a, b) __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"((uint16)(a)), "v"(b))

inline ushort16 round_to_bf16(float16 value) {
    ushort16 rounded;
    __asm__("vcvtneps2bf16 %1, %0" : "=v"(rounded) : "v"(value));
    return rounded;
}

// The numbers of `low`, then those of `high`.
inline words bf16_words(float16 low, float16 high) {
    words rounded;
    __asm__("vcvtne2ps2bf16 %1, %2, %0" : "=v"(rounded) : "v"(low), "v"(high));
    return rounded;
}

// Lane i is the pair of first[i] and second[i].
inline words bf16_pairs(float16 first, float16 second) {
    typedef ushort ushort32 __attribute__((ext_vector_type(32)));
    const ushort32 both = __builtin_astype(bf16_words(first, second), ushort32);
    return __builtin_astype(
        __builtin_shufflevector(both, both, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10,
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
#endif

#define as_words(x) __builtin_astype(x, words)
