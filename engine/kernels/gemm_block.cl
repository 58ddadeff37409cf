// C = A B on processors, with an epilogue. One work-item owns PANELS * ROWS rows and `panels` packed
// column panels (gemm_pack.cl). For every DEPTH of K it copies its rows of A next to each other: rows a
// multiple of 4 KiB apart would fall on the same few lines of the first-level cache. Then the micro-kernel
// keeps ROWS x 16 * VECTORS sums in registers: 8 x 3 vectors are 24 of the 32 that AVX-512 has.
//
// METHOD (dot.cl): A, broadcast to all lanes, and B are words of that; BF16 and AMX (32 x 32 sums in four tiles)
// round A while copying it. After gemm_epilogue.cl, rows are normalised when NORM; the work-item then owns all columns.

// A word more than a multiple of the line would do; 16 keep rows aligned to 64 bytes for AMX.
#define STRIDE (DEPTH / PER_WORD + 16)

// Copies `depth` numbers of a row, rounded up with zeros to `padded`. `to` is aligned to 64 bytes.
inline void copy_row(__global const float* from, word* to, uint depth, uint padded) {
    for (uint i = 0; i < padded; i += 16) {
        const float16 value = load_columns(from, i, depth, 0.0f);
#if METHOD == FP32
        *(float16*)(to + i) = value;
#else
        *(ushort16*)((ushort*)to + i) = round_to_bf16(value);
#endif
    }
}

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

inline void multiply(const word* a, __global const words* b, uint depth, float* sums) {
    const long a_stride = STRIDE * sizeof(word);
    const long b_stride = 32 * sizeof(word);
    const long sum_stride = 32 * sizeof(float);
    __asm__ volatile("tilezero %%tmm0\n tilezero %%tmm1\n tilezero %%tmm2\n tilezero %%tmm3" ::: "memory");
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

inline void multiply(const word* a, __global const words* b, uint depth, float* sums) {
    float16 sum[ROWS][VECTORS];
#pragma unroll
    for (uint r = 0; r < ROWS; ++r) {
#pragma unroll
        for (uint v = 0; v < VECTORS; ++v) sum[r][v] = (float16)0.0f;
    }
    for (uint i = 0; i < depth; i += PER_WORD) {
        words column_words[VECTORS];
#pragma unroll
        for (uint v = 0; v < VECTORS; ++v) column_words[v] = b[v];
#pragma unroll
        for (uint r = 0; r < ROWS; ++r) {
            const word row_word = a[r * STRIDE];
#pragma unroll
            for (uint v = 0; v < VECTORS; ++v) ADD_PRODUCT(sum[r][v], row_word, column_words[v]);
        }
        ++a;
        b += VECTORS;
    }
#pragma unroll
    for (uint r = 0; r < ROWS; ++r) {
#pragma unroll
        for (uint v = 0; v < VECTORS; ++v) *(float16*)(sums + (r * VECTORS + v) * 16) = sum[r][v];
    }
}

#endif

// The finished rows of one micro-tile. The loop over them is not unrolled: the epilogue is long.
inline void micro_tile(const word* a, __global const words* b, uint depth, __global float* c,
                       __global const float* bias, __global const float* residual, uint rows, uint column,
                       uint n, int first, int last) {
    float sums[ROWS * 16 * VECTORS] __attribute__((aligned(64)));
    multiply(a, b, depth, sums);
    for (uint r = 0; r < rows; ++r) {
        for (uint v = 0; v < VECTORS; ++v) {
            finish_sums(vload16(r * VECTORS + v, sums), c + (size_t)r * n, bias, residual + (size_t)r * n,
                        column + 16 * v, n, first, last);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_block(
    __global const float* a, __global const words* b, __global float* c, __global const float* bias,
    __global const float* residual, __global const float* gain, __global const float* shift, float epsilon,
    uint m, uint n, uint k, uint panels) {
    word rows_of_a[PANELS * ROWS * STRIDE] __attribute__((aligned(64)));
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
#if METHOD == AMX
    configure_tiles();
#endif
    for (uint start = 0; start < k; start += DEPTH) {
        const uint depth = min((uint)DEPTH, padded_k - start);
        for (uint r = 0; r < rows; ++r) {
            // Copied 16 at a time: what goes beyond `depth` falls into the stride's spare words.
            copy_row(a + (size_t)r * k + start, rows_of_a + r * STRIDE, k - start, depth);
        }
        for (uint panel = first_panel; panel < end_panel; ++panel) {
            __global const words* b_panel =
                b + ((size_t)panel * padded_k + start) / PER_WORD * VECTORS;
            for (uint r = 0; r < rows; r += ROWS) {
                micro_tile(rows_of_a + r * STRIDE, b_panel, depth, c + (size_t)r * n, bias,
                           residual + (size_t)r * n, min(rows - r, (uint)ROWS), panel * 16 * VECTORS, n,
                           start == 0, start + DEPTH >= k);
            }
        }
    }
#if METHOD == AMX
    __asm__ volatile("tilerelease" ::: "memory");
#endif
#if NORM
    for (uint r = 0; r < rows; ++r) {
        normalise_row(c + (size_t)r * n, c + (size_t)r * n, gain, shift, epsilon, n);
    }
#endif
}
