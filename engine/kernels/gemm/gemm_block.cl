// C = A B on processors, with an epilogue. One work-item owns PANELS * ROWS rows and `panels` panels of 16 * VECTORS
// columns. For every DEPTH of K the micro-kernel keeps ROWS x 16 * VECTORS sums in registers: 8 x 3 vectors are 24 of
// the 32 that AVX-512 has.
//
// METHOD (dot.cl). A, broadcast to all lanes, and B are its words, and A is read where it lies: numbers in fp32, or
// NARROW ones as narrow_row.cl makes them. AMX (32 x 32 sums in four tiles) copies the rows of A next to each other, and
// so does BF16 when they are not narrow: it rounds them on the way. INT8 takes narrow rows only.
// PACKED: B lies in panels (gemm_pack.cl). Otherwise, by FP32 alone, b is k rows of n numbers: the first micro-tile of a
// panel reads DEPTH of them and leaves a copy in one piece for the others.
//
// Every number of C is one chain of sums in the order of K: what comes before a DEPTH is read from C again. So its bits
// depend on the row of A and the column of B alone, not on the plan nor on other rows.
// After gemm_epilogue.cl, rows are normalised when NORM and left once more, narrow, when COPY; the work-item then owns all
// columns.

#define UNROLLED _Pragma("unroll")

// Hints to the processor, which guesses neither that a panel follows the last one nor rows of B that are far apart.
// Words ahead in the panel, for the first-level cache: what the second level needs to answer.
#define AHEAD (8 * VECTORS)
#define FETCH(p, level) __builtin_prefetch((const void*)(size_t)(p), 0, level)

#define INTEGERS (METHOD == INT8 || METHOD == INT8_AVX2)
#if INTEGERS
typedef int sum_number;
#define as_sums(x) as_int16(x)
#else
typedef float sum_number;
#define as_sums(x) (x)
#endif

#if METHOD == FP32 || !NARROW
typedef float a_number;
#elif INTEGERS
typedef uchar a_number;
#else
typedef ushort a_number;
#endif

#define IN_PLACE (METHOD == FP32 || (NARROW && METHOD != AMX))
#if IN_PLACE
#define A_SPACE __global
#else
#define A_SPACE __private
// A word more than a multiple of the line would do; 16 keep rows aligned to 64 bytes for AMX.
#define STRIDE (DEPTH / PER_WORD + 16)

// Copies `depth` numbers of a row, rounded up with zeros to `padded`. `to` is aligned to 64 bytes.
inline void copy_row(__global const a_number* from, word* to, uint depth, uint padded) {
    for (uint i = 0; i < padded; i += 16) {
#if NARROW
        ushort lane[16];
        for (uint j = 0; j < 16; ++j) lane[j] = i + j < depth ? from[i + j] : 0;
        *(ushort16*)((ushort*)to + i) = vload16(0, lane);
#else
        *(ushort16*)((ushort*)to + i) = round_to_bf16(load_columns(from, i, depth, 0.0f));
#endif
    }
}
#endif

#if PACKED
typedef __global const words* Panel;
#else
typedef words* Panel;
#define ROWS_AHEAD 32

// The last panel, from `depth` rows of B. Columns that do not exist are zeros.
inline void copy_last_panel(__global const float* from, words* to, uint depth, uint column, uint n) {
    for (uint i = 0; i < depth; ++i) {
        for (uint v = 0; v < VECTORS; ++v) {
            const uint first = column + 16 * v;
            *to++ = first < n ? load_columns(from + (size_t)i * n, first, n, 0.0f) : (float16)0.0f;
        }
    }
}
#endif

// Where the columns of a panel of B begin: of each step of the sum, `step` words apart.
typedef struct {
    __global const word* words;
    size_t step;
} Columns;

#if METHOD == AMX

#if ROWS != 32 || VECTORS != 2
#error "four tiles hold 32 x 32 sums"
#endif

// Palette 1: eight tiles of 16 rows of 64 bytes.
inline void configure_tiles(void) {
    uchar settings[64] __attribute__((aligned(64)));
    for (uint i = 0; i < 64; ++i) settings[i] = 0;
    settings[0] = 1;
    for (uint tile = 0; tile < 8; ++tile) {
        settings[16 + 2 * tile] = 64;
        settings[48 + tile] = 16;
    }
    __asm__ volatile("ldtilecfg (%0)" ::"r"(settings) : "memory");
}

inline void multiply(const word* a, size_t stride, uint rows, Panel b, Columns next, uint depth, sum_number* sums) {
    const long a_stride = STRIDE * sizeof(word);
    const long b_stride = 32 * sizeof(word);
    const long sum_stride = 32 * sizeof(float);
    __asm__ volatile(
        "tileloadd (%0,%2,1), %%tmm0\n"
        "tileloadd 64(%0,%2,1), %%tmm1\n"
        "tileloadd (%1,%2,1), %%tmm2\n"
        "tileloadd 64(%1,%2,1), %%tmm3" ::"r"(sums),
        "r"(sums + 16 * 32), "r"(sum_stride)
        : "memory");
    for (uint i = 0; i < depth; i += 32) {
        __asm__ volatile(
            "tileloadd (%0,%2,1), %%tmm4\n"
            "tileloadd (%3,%4,1), %%tmm6\n"
            "tdpbf16ps %%tmm6, %%tmm4, %%tmm0\n"
            "tileloadd 64(%3,%4,1), %%tmm7\n"
            "tdpbf16ps %%tmm7, %%tmm4, %%tmm1\n"
            "tileloadd (%1,%2,1), %%tmm5\n"
            "tdpbf16ps %%tmm6, %%tmm5, %%tmm2\n"
            "tdpbf16ps %%tmm7, %%tmm5, %%tmm3" ::"r"(a),
            "r"(a + 16 * STRIDE), "r"(a_stride), "r"(b), "r"(b_stride)
            : "memory");
        a += 16;
        b += 32;
    }
    __asm__ volatile(
        "tilestored %%tmm0, (%0,%2,1)\n"
        "tilestored %%tmm1, 64(%0,%2,1)\n"
        "tilestored %%tmm2, (%1,%2,1)\n"
        "tilestored %%tmm3, 64(%1,%2,1)" ::"r"(sums),
        "r"(sums + 16 * 32), "r"(sum_stride)
        : "memory");
}

#else

#define ADD_PRODUCTS                                                                                     \
    UNROLLED for (uint r = 0; r < ROWS; ++r) {                                                           \
        const word row_word = row[r][i];                                                                 \
        UNROLLED for (uint v = 0; v < VECTORS; ++v) ADD_PRODUCT(sum[r][v], row_word, column_words[v]);   \
    }

// One step of the sum, with all columns of the micro-tile.
#define STEP                                                                                             \
    {                                                                                                    \
        words column_words[VECTORS];                                                                     \
        UNROLLED for (uint v = 0; v < VECTORS; ++v) {                                                    \
            column_words[v] = b[v];                                                                      \
            FETCH(b + AHEAD + v, 3);                                                                     \
        }                                                                                                \
        ADD_PRODUCTS                                                                                     \
        b += VECTORS;                                                                                    \
    }

// Rows of A are `stride` words apart. Beyond the last one is that one again. The micro-tile's share of the panel that
// comes after this one, from `next` on, is brought to the second-level cache meanwhile.
inline void multiply(A_SPACE const word* a, size_t stride, uint rows, Panel b, Columns next, uint depth, sum_number* sums) {
    A_SPACE const word* row[ROWS];
    sums_of_words sum[ROWS][VECTORS];
    UNROLLED for (uint r = 0; r < ROWS; ++r) {
        row[r] = a + min(r, rows - 1) * stride;
        UNROLLED for (uint v = 0; v < VECTORS; ++v) sum[r][v] = *(sums_of_words*)(sums + (r * VECTORS + v) * 16);
    }
    const uint steps = depth / PER_WORD;
    uint i = 0;
    while (i + PANELS <= steps) {
        UNROLLED for (uint v = 0; v < VECTORS; ++v) FETCH(next.words + 16 * v, 2);
        next.words += next.step;
        for (uint one = 0; one < PANELS; ++one, ++i) STEP
    }
    for (; i < steps; ++i) STEP
    UNROLLED for (uint r = 0; r < ROWS; ++r) {
        UNROLLED for (uint v = 0; v < VECTORS; ++v) *(sums_of_words*)(sums + (r * VECTORS + v) * 16) = sum[r][v];
    }
}

#if !PACKED
// The same with the columns of B where they lie, which are copied to `to`.
inline void multiply_and_copy(A_SPACE const word* a, size_t stride, uint rows, Columns from, Panel to, uint depth,
                              float* sums) {
    A_SPACE const word* row[ROWS];
    sums_of_words sum[ROWS][VECTORS];
    UNROLLED for (uint r = 0; r < ROWS; ++r) {
        row[r] = a + min(r, rows - 1) * stride;
        UNROLLED for (uint v = 0; v < VECTORS; ++v) sum[r][v] = *(sums_of_words*)(sums + (r * VECTORS + v) * 16);
    }
    for (uint i = 0; i < depth; ++i) {
        words column_words[VECTORS];
        UNROLLED for (uint v = 0; v < VECTORS; ++v) {
            column_words[v] = load_vector(from.words + 16 * v);
            FETCH(from.words + ROWS_AHEAD * from.step + 16 * v, 3);
            to[v] = column_words[v];
        }
        ADD_PRODUCTS
        from.words += from.step;
        to += VECTORS;
    }
    UNROLLED for (uint r = 0; r < ROWS; ++r) {
        UNROLLED for (uint v = 0; v < VECTORS; ++v) *(sums_of_words*)(sums + (r * VECTORS + v) * 16) = sum[r][v];
    }
}
#endif

#endif

// The sums of one micro-tile so far; zeros at the beginning, and in rows and columns that do not exist. Sums of bytes lie
// in C bit by bit.
inline void begin_rows(sum_number* sums, __global const c_number* c, uint rows, uint column, uint n, int first) {
    for (uint i = 0; i < ROWS * VECTORS; ++i) {
        sums_of_words sum = (sums_of_words)0;
#if !NARROW_C
        const uint r = i / VECTORS;
        const uint from = column + i % VECTORS * 16;
        if (!first && r < rows && from < n) sum = as_sums(load_columns(c + (size_t)r * n, from, n, 0.0f));
#endif
        *(sums_of_words*)(sums + i * 16) = sum;
    }
}

// What gemm_pack_int8.cl leaves behind the panels: of every column its scale and, `corrections` vectors on, what its sums
// have too much since 64 was added to every byte of A.
typedef struct {
    __global const words* scales;
    size_t corrections;
    __global const float* of_rows;  // the scales of A
} Scales;

// The numbers that the sums stand for.
inline float16 numbers_of(sums_of_words sums, const Scales* scales, uint row, uint column, int last) {
#if INTEGERS
    if (!last) return as_float16(sums);
    const float16 of_columns = as_float16(scales->scales[column / 16]);
    const int16 correction = as_int16(scales->scales[scales->corrections + column / 16]);
    return convert_float16(sums - correction) * (of_columns * scales->of_rows[row]);
#else
    return sums;
#endif
}

// What becomes of the sums of one micro-tile. The loop over rows is not unrolled: the epilogue is long.
inline void finish_rows(const sum_number* sums, const Scales* scales, __global c_number* c, __global const float* bias,
                        __global const float* residual, uint first_row, uint rows, uint column, uint n, int last) {
    c += (size_t)first_row * n;
    residual += (size_t)first_row * n;
    for (uint r = 0; r < rows; ++r) {
        for (uint v = 0; v < VECTORS; ++v) {
            const uint from = column + 16 * v;
            const sums_of_words sum = *(const sums_of_words*)(sums + (r * VECTORS + v) * 16);
            finish_sums(numbers_of(sum, scales, first_row + r, from, last), c + (size_t)r * n, bias,
                        residual + (size_t)r * n, from, n, last);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_block(
    __global const a_number* a, __global const words* b, __global c_number* c, __global const float* bias,
    __global const float* residual, __global const float* gain, __global const float* shift, float epsilon,
    uint m, uint n, uint k, uint panels, __global const float* scales_of_a, __global void* copy,
    __global float* scales_of_copy) {
    const uint block_rows = PANELS * ROWS;
    const uint row_blocks = (m + block_rows - 1) / block_rows;
    const uint first_row = get_group_id(0) % row_blocks * block_rows;
    const uint rows = min(m - first_row, block_rows);
    const uint all_panels = (n + 16 * VECTORS - 1) / (16 * VECTORS);
    const uint first_panel = get_group_id(0) / row_blocks * panels;
    const uint end_panel = min(first_panel + panels, all_panels);
    const uint padded_k = (k + DEPTH_UNIT - 1) / DEPTH_UNIT * DEPTH_UNIT;
    a += (size_t)first_row * k;
    c += (size_t)first_row * n;
    residual += (size_t)first_row * n;
#if INTEGERS
    const Scales scales = {b + (size_t)all_panels * padded_k / PER_WORD * VECTORS, (size_t)all_panels * VECTORS,
                           scales_of_a + first_row};
#else
    const Scales scales = {0};
#endif
#if !IN_PLACE
    word rows_of_a[PANELS * ROWS * STRIDE] __attribute__((aligned(64)));
#endif
#if !PACKED
    words panel_of_b[DEPTH * VECTORS];
#endif
#if METHOD == AMX
    configure_tiles();
#endif
    for (uint start = 0; start < k; start += DEPTH) {
        const uint depth = min((uint)DEPTH, padded_k - start);
#if IN_PLACE
        A_SPACE const word* const block = (A_SPACE const word*)(a + start);
        const size_t stride = k / PER_WORD;
#else
        A_SPACE const word* const block = rows_of_a;
        const size_t stride = STRIDE;
        for (uint r = 0; r < rows; ++r) {
            // Copied 16 at a time: what goes beyond `depth` falls into the stride's spare words.
            copy_row(a + (size_t)r * k + start, rows_of_a + r * STRIDE, k - start, depth);
        }
#endif
        for (uint panel = first_panel; panel < end_panel; ++panel) {
            const uint column = panel * 16 * VECTORS;
            const uint after = min(panel + 1, all_panels - 1);
#if PACKED
            const size_t panel_words = (size_t)padded_k / PER_WORD * VECTORS;
            __global const words* of_depth = b + start / PER_WORD * VECTORS;
            const Panel b_panel = of_depth + panel * panel_words;
            Columns next = {(__global const word*)(of_depth + after * panel_words), 16 * VECTORS};
#else
            __global const float* rows_of_b = (__global const float*)b + (size_t)start * n;
            const Panel b_panel = panel_of_b;
            const int whole = column + 16 * VECTORS <= n;
            if (!whole) copy_last_panel(rows_of_b, panel_of_b, depth, column, n);
            Columns next = {rows_of_b + after * 16 * VECTORS, n};
#endif
            for (uint r = 0; r < rows; r += ROWS) {
                sum_number sums[ROWS * 16 * VECTORS] __attribute__((aligned(64)));
                const uint tile_rows = min(rows - r, (uint)ROWS);
                begin_rows(sums, c + (size_t)r * n, tile_rows, column, n, start == 0);
#if !PACKED
                if (r == 0 && whole) {
                    const Columns from = {rows_of_b + column, n};
                    multiply_and_copy(block, stride, tile_rows, from, panel_of_b, depth, sums);
                } else
#endif
                    multiply(block + r * stride, stride, tile_rows, b_panel, next, depth, sums);
                next.words += depth / PER_WORD / PANELS * next.step;
                finish_rows(sums, &scales, c, bias, residual, r, tile_rows, column, n, start + DEPTH >= k);
            }
        }
    }
#if METHOD == AMX
    __asm__ volatile("tilerelease" ::: "memory");
#endif
#if NORM || COPY
    for (uint r = 0; r < rows; ++r) {
        __global float* row = c + (size_t)r * n;
#if NORM
        normalise_row(row, row, gain, shift, epsilon, n);
#endif
#if COPY
        narrow_row(row, copy, scales_of_copy, first_row + r, n);
#endif
    }
#endif
}
