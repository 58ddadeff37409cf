// C = A B in bf16 with fp32 sums on NVIDIA's GPUs (mma.cl). 128 work-items, four warps, for 128 x 128 numbers of C; a
// warp owns 64 x 64 of them. A has rows of bf16. B as gemm_pack.cl leaves it for MMA: [panel][step][column][32 of K].
// K and n are multiples of 8, so that rows lie at 16 bytes.
//
// STAGES steps of 32 of K lie in local memory: one is multiplied while the next are on their way. Local memory holds
// rows of 64 bytes, whose four chunks of 16 are placed so that 8 rows' equal chunks lie in different banks.
#define TILE 128
#define STEP 32
#define ROW_BYTES (STEP * 2)
#define TILE_BYTES (TILE * ROW_BYTES)
#define ITEMS 128
#define ROWS_APART (ITEMS / 4)  // of the rows that a work-item copies
#define COPIES (TILE / ROWS_APART)

inline uint place_of(uint row, uint chunk) {
    return row * ROW_BYTES + ((chunk ^ (row >> 1 & 3)) << 4);
}

// As vector_gelu, with the GPU's approximations of 1 / x and 2^x: off by 2^-22 of the result.
inline float mma_gelu(float x) {
    const float a = fabs(x) * 0.70710678f;
    const float t = native_recip(fma(0.3275911f, a, 1.0f));
    float p = 1.061405429f;
    p = fma(p, t, -1.453152027f);
    p = fma(p, t, 1.421413741f);
    p = fma(p, t, -0.284496736f);
    p = fma(p, t, 0.254829592f);
    const float tail = p * t * native_exp2(-LOG2_E * a * a);  // 1 - erf(a)
    return 0.5f * x * (1.0f + copysign(1.0f - tail, x));
}

// What becomes of two neighbouring sums.
inline float2 finished(float2 value, float2 bias, __global const float* residual, bool inside) {
#if BIAS
    value += bias;
#endif
#if GELU
    value = (float2)(mma_gelu(value.x), mma_gelu(value.y));
#endif
#if RESIDUAL
    if (inside) value += *(__global const float2*)residual;
#endif
    return value;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void gemm_mma(
    __global const ushort* a, __global const ushort* b, __global void* c, __global const float* bias,
    __global const float* residual, __global const float* gain, __global const float* shift, float epsilon,
    uint m, uint n, uint k, uint panels) {
    __local uchar tiles[STAGES * 2 * TILE_BYTES] __attribute__((aligned(128)));
    const uint columns = (n + TILE - 1) / TILE;
    const uint panel = get_group_id(0) % columns;
    const uint first_row = get_group_id(0) / columns * TILE;
    const uint steps = (k + STEP - 1) / STEP;
    const uint item = get_local_id(0);
    const uint lane = item % 32;
    const uint warp_row = item / 64 * 64;
    const uint warp_column = item / 32 % 2 * 64;
    const uint base = local_address(tiles);

    // What this work-item copies: a chunk of every ROWS_APART-th row. Rows behind the last one are copies of it.
    const uint chunk = item % 4;
    __global const ushort* from_a[COPIES];
#pragma unroll
    for (uint i = 0; i < COPIES; ++i) {
        from_a[i] = a + (size_t)min(first_row + item / 4 + ROWS_APART * i, m - 1) * k + chunk * 8;
    }
    __global const ushort* from_b = b + (size_t)panel * steps * TILE * STEP + item * 8;
    const uint to = base + place_of(item / 4, chunk);
#define COPY_STEP(step, slot)                                                                     \
    {                                                                                             \
        const uint valid = (step) * STEP + chunk * 8 < k ? 16 : 0;                                \
        const uint depth = valid != 0 ? (step) * STEP : 0;                                        \
        const uint into = to + (slot) * 2 * TILE_BYTES;                                           \
        __global const ushort* next_b = from_b + (size_t)(step) * TILE * STEP;                    \
        for (uint i = 0; i < COPIES; ++i) {                                                       \
            start_copy(into + i * ROWS_APART * ROW_BYTES, from_a[i] + depth, valid);              \
            start_copy(into + TILE_BYTES + i * ROWS_APART * ROW_BYTES, next_b + i * ROWS_APART * STEP, 16); \
        }                                                                                         \
    }

    float4 sums[4][8];
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
#pragma unroll
        for (uint j = 0; j < 8; ++j) sums[i][j] = (float4)0.0f;
    }
#pragma unroll
    for (uint s = 0; s < STAGES - 1; ++s) {
        if (s < steps) COPY_STEP(s, s)
        CLOSE_COPIES;
    }
    const uint a_from = base + place_of(warp_row + lane % 16, lane / 16);
    const uint b_from = base + TILE_BYTES + place_of(warp_column + lane % 8 + lane / 16 * 8, lane / 8 % 2);
    uint slot = 0;
    uint free_slot = STAGES - 1;
    for (uint step = 0; step < steps; ++step) {
        AWAIT_COPIES(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (step + STAGES - 1 < steps) COPY_STEP(step + STAGES - 1, free_slot)
        CLOSE_COPIES;
        const uint a_slot = a_from + slot * 2 * TILE_BYTES;
        const uint b_slot = b_from + slot * 2 * TILE_BYTES;
#pragma unroll
        for (uint part = 0; part < STEP / 16; ++part) {
            uint4 x[4];
            uint4 y[4];
            // Two chunks further; 16 rows further nothing changes in a row.
#pragma unroll
            for (uint i = 0; i < 4; ++i) {
                x[i] = load_matrices((a_slot ^ (part << 5)) + i * 16 * ROW_BYTES);
                y[i] = load_matrices((b_slot ^ (part << 5)) + i * 16 * ROW_BYTES);
            }
#pragma unroll
            for (uint i = 0; i < 4; ++i) {
#pragma unroll
                for (uint j = 0; j < 4; ++j) {
                    ADD_MMA(sums[i][2 * j], x[i], y[j].x, y[j].y);
                    ADD_MMA(sums[i][2 * j + 1], x[i], y[j].z, y[j].w);
                }
            }
        }
        slot = slot + 1 == STAGES ? 0 : slot + 1;
        free_slot = free_slot + 1 == STAGES ? 0 : free_slot + 1;
    }

    const uint first_column = panel * TILE + warp_column;
    const uint place = lane % 4;
    float2 of_column[8];
#pragma unroll
    for (uint j = 0; j < 8; ++j) {
        const uint column = first_column + 8 * j;
        of_column[j] = BIAS && column < n ? *(__global const float2*)(bias + column + 2 * place) : (float2)0.0f;
    }
#pragma unroll
    for (uint i = 0; i < 8; ++i) {  // of 8 rows each
        const size_t row = first_row + warp_row + 8 * i + lane / 4;
#pragma unroll
        for (uint j = 0; j < 8; j += 2) {
            const uint column = first_column + 8 * j;
            const size_t at = row * n + column;
            const bool inside = row < m && column < n;
            const bool next_inside = row < m && column + 8 < n;
            const float2 first = finished(i % 2 ? sums[i / 2][j].zw : sums[i / 2][j].xy, of_column[j],
                                          residual + at + 2 * place, inside);
            const float2 second = finished(i % 2 ? sums[i / 2][j + 1].zw : sums[i / 2][j + 1].xy, of_column[j + 1],
                                           residual + at + 8 + 2 * place, next_inside);
#if NARROW_C
            store_pairs(bf16_pair(first.x, first.y), bf16_pair(second.x, second.y), (__global ushort*)c + at,
                        place % 2 ? next_inside : inside);
#else
            if (inside) *(__global float2*)((__global float*)c + at + 2 * place) = first;
            if (next_inside) *(__global float2*)((__global float*)c + at + 8 + 2 * place) = second;
#endif
        }
    }
}
