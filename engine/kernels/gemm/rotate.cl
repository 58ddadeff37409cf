// Rows of A and columns of B are rotated alike before they become bytes, so their product stays the same: numbers that
// stand out, as a few columns of every model do, are spread over their block, and the scale is finer for all others.
// A block is multiplied with Sylvester's Hadamard matrix without its factor of 1 / sqrt(size): sums and differences in a
// fixed order, the same bits on every processor. A row has blocks of 128 numbers, then one each of 64, 32 and 16 while
// they fit; what is left keeps its numbers.

#define BLOCK_VECTORS 8
#define ROTATE_UNROLLED _Pragma("unroll")

// Four rounds, of neighbours, then of lanes that are 2, 4 and 8 apart.
inline float16 rotate_lanes(float16 x) {
    x = fma(x, (float16)(1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1), x.s1032547698badcfe);
    x = fma(x, (float16)(1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1), x.s23016745ab89efcd);
    x = fma(x, (float16)(1, 1, 1, 1, -1, -1, -1, -1, 1, 1, 1, 1, -1, -1, -1, -1), x.s45670123cdef89ab);
    return fma(x, (float16)(1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1), x.s89abcdef01234567);
}

// Vectors of the next block of a row, of which `left` numbers are to go; 0: they are not rotated.
inline uint vectors_of_block(uint left) {
    return left >= 128 ? 8 : left >= 64 ? 4 : left >= 32 ? 2 : left >= 16 ? 1 : 0;
}

// `vectors`: a power of two up to BLOCK_VECTORS, or 0.
inline void rotate(float16* block, uint vectors) {
    ROTATE_UNROLLED for (uint apart = 1; apart < BLOCK_VECTORS; apart *= 2) {
        ROTATE_UNROLLED for (uint v = 0; v < BLOCK_VECTORS; ++v) {
            if ((v & apart) == 0 && v + apart < vectors) {
                const float16 difference = block[v] - block[v + apart];
                block[v] += block[v + apart];
                block[v + apart] = difference;
            }
        }
    }
    ROTATE_UNROLLED for (uint v = 0; v < BLOCK_VECTORS; ++v) {
        if (v < vectors) block[v] = rotate_lanes(block[v]);
    }
}

#define ROTATED_BLOCK(unrolled, i, first, vectors, loads, load, use)      \
    {                                                                     \
        float16 block[BLOCK_VECTORS];                                     \
        unrolled for (uint v = 0; v < loads; ++v) {                       \
            const uint i = first + 16 * v;                                \
            block[v] = load;                                              \
        }                                                                 \
        rotate(block, vectors);                                           \
        unrolled for (uint v = 0; v < loads; ++v) {                       \
            const uint i = first + 16 * v;                                \
            const float16 value = block[v];                               \
            const uint block_size = max(16u * (vectors), 1u);             \
            use                                                           \
        }                                                                 \
    }

// Walks a row of `columns` numbers: `load` is the vector of those from i on, and `use` does something with the rotated
// `value`, of a block of `block_size` numbers. Whole blocks are compiled apart, with all of their vectors in registers.
#define FOR_ROTATED(i, columns, load, use)                                                              \
    {                                                                                                   \
        uint block_begin = 0;                                                                           \
        for (; block_begin + 16 * BLOCK_VECTORS <= (columns); block_begin += 16 * BLOCK_VECTORS)        \
            ROTATED_BLOCK(ROTATE_UNROLLED, i, block_begin, BLOCK_VECTORS, BLOCK_VECTORS, load, use)     \
        while (block_begin < (columns)) {                                                               \
            const uint block_vectors = vectors_of_block((columns)-block_begin);                         \
            const uint block_loads = max(block_vectors, 1u);                                            \
            ROTATED_BLOCK(, i, block_begin, block_vectors, block_loads, load, use)                      \
            block_begin += 16 * block_loads;                                                            \
        }                                                                                               \
    }
