// C = A B on GPUs without matrix instructions of ours: 256 work-items for 64 x 64 numbers of C, 16 each,
// with 16 of K at a time in local memory. B as gemm_pack.cl leaves it with VECTORS 4 and DEPTH_UNIT 16.
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void gemm_group(
    __global const float* a, __global const float* b, __global float* c, __global const float* bias,
    __global const float* residual, __global const float* gain, __global const float* shift, float epsilon,
    uint m, uint n, uint k, uint panels) {
    __local float a_tile[16][64 + 1];  // the extra column keeps writes to a column off one bank
    __local float b_tile[16][64];
    const uint row_blocks = (m + 63) / 64;
    const uint first_row = get_group_id(0) % row_blocks * 64;
    const uint panel = get_group_id(0) / row_blocks;
    const uint padded_k = (k + 15) / 16 * 16;
    const uint item = get_local_id(0);
    const uint x = item % 16;
    const uint y = item / 16;
    float sums[4][4];
    for (uint i = 0; i < 4; ++i) {
        for (uint j = 0; j < 4; ++j) sums[i][j] = 0.0f;
    }
    for (uint start = 0; start < padded_k; start += 16) {
        for (uint i = item; i < 64 * 16; i += 256) {
            const uint row = first_row + i / 16;
            const uint depth = start + i % 16;
            a_tile[i % 16][i / 16] = row < m && depth < k ? a[(size_t)row * k + depth] : 0.0f;
            b_tile[i / 64][i % 64] = b[((size_t)panel * padded_k + start) * 64 + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint d = 0; d < 16; ++d) {
            for (uint i = 0; i < 4; ++i) {
                for (uint j = 0; j < 4; ++j) {
                    sums[i][j] = fma(a_tile[d][y + 16 * i], b_tile[d][x + 16 * j], sums[i][j]);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = 0; i < 4; ++i) {
        const size_t row = first_row + y + 16 * i;
        if (row >= m) continue;
        for (uint j = 0; j < 4; ++j) {
            finish_sums(sums[i][j], c + row * n, bias, residual + row * n, panel * 64 + x + 16 * j, n, 1);
        }
    }
}
