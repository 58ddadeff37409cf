// C = A B in bf16 with fp32 sums on NVIDIA GPUs (compute capability 8 and later): mma.sync by inline PTX.
// 128 work-items, four warps, for 64 x 64 numbers of C; a warp owns 32 x 32 of them as 2 x 4 products of
// 16 x 8 x 16. 32 of K at a time lie in local memory as pairs of bf16. B as gemm_pack.cl leaves it with BF16,
// VECTORS 4 and DEPTH_UNIT 32: [panel][depth / 2][column], one pair a word.
//
// Which lane holds what ("Matrix fragments for mma.m16n8k16" of the PTX manual), with group = lane / 4 and
// place = lane % 4: A rows group and group + 8, pairs place and place + 4; B pairs place and place + 4 of
// column group; C rows group and group + 8, columns 2 * place and the next.

inline uint bf16_bits(float value) {
    const uint bits = as_uint(value);
    return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void gemm_mma(
    __global const float* a, __global const uint* b, __global float* c, __global const float* bias,
    __global const float* residual, __global const float* gain, __global const float* shift, float epsilon,
    uint m, uint n, uint k, uint panels) {
    // Rows of 20 and 72 words: the lanes of a warp then read from different banks.
    __local uint a_tile[64][16 + 4];
    __local uint b_tile[16][64 + 8];
    const uint row_blocks = (m + 63) / 64;
    const uint first_row = get_group_id(0) % row_blocks * 64;
    const uint panel = get_group_id(0) / row_blocks;
    const uint padded_k = (k + 31) / 32 * 32;
    const uint item = get_local_id(0);
    const uint group = item % 32 / 4;
    const uint place = item % 4;
    const uint warp_row = item / 64 * 32;
    const uint warp_column = item / 32 % 2 * 32;
    float sums[2][4][4];
    for (uint i = 0; i < 2; ++i) {
        for (uint j = 0; j < 4; ++j) {
            for (uint q = 0; q < 4; ++q) sums[i][j][q] = 0.0f;
        }
    }
    for (uint start = 0; start < padded_k; start += 32) {
        for (uint i = item; i < 64 * 16; i += 128) {
            const uint row = first_row + i / 16;
            const uint depth = start + 2 * (i % 16);
            __global const float* from = a + (size_t)row * k + depth;
            const float low = row < m && depth < k ? from[0] : 0.0f;
            const float high = row < m && depth + 1 < k ? from[1] : 0.0f;
            a_tile[i / 16][i % 16] = bf16_bits(low) | bf16_bits(high) << 16;
            b_tile[i / 64][i % 64] = b[((size_t)panel * padded_k + start) / 2 * 64 + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint pair = 0; pair < 16; pair += 8) {
            for (uint i = 0; i < 2; ++i) {
                const uint row = warp_row + 16 * i + group;
                const uint a0 = a_tile[row][pair + place];
                const uint a1 = a_tile[row + 8][pair + place];
                const uint a2 = a_tile[row][pair + place + 4];
                const uint a3 = a_tile[row + 8][pair + place + 4];
                for (uint j = 0; j < 4; ++j) {
                    const uint column = warp_column + 8 * j + group;
                    const uint b0 = b_tile[pair + place][column];
                    const uint b1 = b_tile[pair + place + 4][column];
                    float* s = sums[i][j];
                    __asm__ volatile(
                        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = 0; i < 2; ++i) {
        for (uint q = 0; q < 4; ++q) {
            const size_t row = first_row + warp_row + 16 * i + group + q / 2 * 8;
            if (row >= m) continue;
            for (uint j = 0; j < 4; ++j) {
                const uint column = panel * 64 + warp_column + 8 * j + 2 * place + q % 2;
                finish_sums(sums[i][j][q], c + row * n, bias, residual + row * n, column, n, 1);
            }
        }
    }
}
