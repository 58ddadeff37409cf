// Attention as one writes it first: a work-item a sequence and head, keys transposed number by number, four
// queries at a time against 16 keys, values read where they lie. Sequences of at most 128 tokens.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void plain_attention(
    __global const float* qkv, __global const uint* offsets, __global float* out, uint heads) {
    const uint head = get_group_id(0) % heads;
    const uint first = offsets[get_group_id(0) / heads];
    const uint length = offsets[get_group_id(0) / heads + 1] - first;
    const uint padded = (length + 15) / 16 * 16;
    const uint width = heads * 64;
    const size_t token = 3 * (size_t)width;
    qkv += first * token + head * 64;
    out += (size_t)first * width + head * 64;
    float keys[64][128];
    float scores[4][128];
    for (uint j = 0; j < padded; ++j) {
        for (uint d = 0; d < 64; ++d) keys[d][j] = j < length ? qkv[j * token + width + d] : 0.0f;
    }
    for (uint i = 0; i < length; i += 4) {
        float scale[4];
        for (uint j = 0; j < padded; j += 16) {
            float16 sums[4] = {(float16)0.0f, (float16)0.0f, (float16)0.0f, (float16)0.0f};
            for (uint d = 0; d < 64; ++d) {
                const float16 key = vload16(0, &keys[d][j]);
#pragma unroll
                for (uint r = 0; r < 4; ++r) {
                    sums[r] = fma((float16)(qkv[min(i + r, length - 1) * token + d]), key, sums[r]);
                }
            }
#pragma unroll
            for (uint r = 0; r < 4; ++r) {
                const int16 exists = (int)j + LANE_NUMBERS < (int)length;
                vstore16(pick((float16)-1e30f, sums[r] * 0.125f, exists), 0, &scores[r][j]);
            }
        }
        for (uint r = 0; r < 4; ++r) {
            float16 most = (float16)-1e30f;
            for (uint j = 0; j < padded; j += 16) most = fmax(most, vload16(0, &scores[r][j]));
            const float largest = largest_of(most);
            float16 total = (float16)0.0f;
            for (uint j = 0; j < padded; j += 16) {
                const float16 e = vector_exp(vload16(0, &scores[r][j]) - largest);
                total += e;
                vstore16(e, 0, &scores[r][j]);
            }
            scale[r] = 1.0f / sum_of(total);
        }
        for (uint d = 0; d < 64; d += 32) {
            float16 low[4] = {(float16)0.0f, (float16)0.0f, (float16)0.0f, (float16)0.0f};
            float16 high[4] = {(float16)0.0f, (float16)0.0f, (float16)0.0f, (float16)0.0f};
            for (uint j = 0; j < length; ++j) {
                const float16 x = vload16(0, qkv + j * token + 2 * width + d);
                const float16 y = vload16(1, qkv + j * token + 2 * width + d);
#pragma unroll
                for (uint r = 0; r < 4; ++r) {
                    low[r] = fma((float16)scores[r][j], x, low[r]);
                    high[r] = fma((float16)scores[r][j], y, high[r]);
                }
            }
            for (uint r = 0; r < 4 && i + r < length; ++r) {
                vstore16(low[r] * scale[r], 0, out + (i + r) * width + d);
                vstore16(high[r] * scale[r], 1, out + (i + r) * width + d);
            }
        }
    }
}
