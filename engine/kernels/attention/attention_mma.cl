// Attention as in attention_block.cl, in bf16 by the tensor cores of NVIDIA's GPUs (gemm/mma.cl). A work-group of four
// warps computes 64 queries of a sequence and head, 16 a warp, over 64 keys at a time; what earlier keys gave is scaled
// when a larger score is found, so that no row of scores is ever kept. walk[i] is sequence * 64 + block of 64 queries.
// HEAD is a multiple of 16, at most 128; qkv and out are bf16.
#define BLOCK 64
#define ITEMS 128
#define CHUNKS (HEAD / 8)
// 16 bytes more than the numbers: 8 rows' equal chunks then lie in different banks.
#define ROW_BYTES (HEAD * 2 + 16)

// Rows `first` to first + 63 of `count`, `stride` numbers apart; those behind are zeros.
inline void copy_rows(uint to, __global const ushort* from, uint first, uint count, uint stride) {
    for (uint i = get_local_id(0); i < BLOCK * CHUNKS; i += ITEMS) {
        const uint row = i / CHUNKS;
        const uint chunk = i % CHUNKS;
        const uint valid = first + row < count ? 16 : 0;
        start_copy(to + row * ROW_BYTES + chunk * 16, from + (valid ? (size_t)(first + row) * stride : 0) + chunk * 8, valid);
    }
}

inline float largest_of_four(float value) {
    value = max(value, as_float(value_of_lane(as_uint(value), 1)));
    return max(value, as_float(value_of_lane(as_uint(value), 2)));
}
inline float sum_of_four(float value) {
    value += as_float(value_of_lane(as_uint(value), 1));
    return value + as_float(value_of_lane(as_uint(value), 2));
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void attention_mma(
    __global const ushort* qkv, __global const uint* offsets, __global const uint* walk, __global ushort* out,
    uint heads) {
    __local uchar keys[BLOCK * ROW_BYTES] __attribute__((aligned(128)));
    __local uchar values[BLOCK * ROW_BYTES] __attribute__((aligned(128)));
    const uint work = walk[get_group_id(0) / heads];
    const uint head = get_group_id(0) % heads;
    const uint first = offsets[work / 64];
    const uint length = offsets[work / 64 + 1] - first;
    const uint first_query = work % 64 * BLOCK;
    const uint width = heads * HEAD;
    const uint lane = get_local_id(0) % 32;
    const uint warp_query = get_local_id(0) / 32 * 16;
    const bool busy = first_query + warp_query < length;
    const uint from_keys = local_address(keys);
    const uint from_values = local_address(values);
    qkv += (size_t)first * 3 * width + head * HEAD;

    // The queries pass through the memory of keys.
    copy_rows(from_keys, qkv, first_query, length, 3 * width);
    CLOSE_COPIES;
    AWAIT_COPIES(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 query[HEAD / 16];
#pragma unroll
    for (uint d = 0; d < HEAD / 16; ++d) {
        query[d] = load_matrices(from_keys + (warp_query + lane % 16) * ROW_BYTES + (2 * d + lane / 16) * 16);
    }

    const float scale = LOG2_E / sqrt((float)HEAD);
    float4 sums[CHUNKS];
#pragma unroll
    for (uint d = 0; d < CHUNKS; ++d) sums[d] = (float4)0.0f;
    float2 largest = (float2)-INFINITY;  // of this lane's two rows
    float2 total = (float2)0.0f;         // of this lane's columns
    for (uint start = 0; start < length; start += BLOCK) {
        barrier(CLK_LOCAL_MEM_FENCE);
        copy_rows(from_keys, qkv + width, start, length, 3 * width);
        copy_rows(from_values, qkv + 2 * width, start, length, 3 * width);
        CLOSE_COPIES;
        AWAIT_COPIES(0);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!busy) continue;
        const uint here = min(length - start, (uint)BLOCK);
        float4 scores[BLOCK / 8];
        float2 most = (float2)-INFINITY;
#pragma unroll
        for (uint j = 0; j < BLOCK / 16; ++j) {
            scores[2 * j] = (float4)0.0f;
            scores[2 * j + 1] = (float4)0.0f;
            if (16 * j < here) {
#pragma unroll
                for (uint d = 0; d < HEAD / 16; ++d) {
                    const uint4 key = load_matrices(from_keys + (16 * j + lane % 8 + lane / 16 * 8) * ROW_BYTES +
                                                    (2 * d + lane / 8 % 2) * 16);
                    ADD_MMA(scores[2 * j], query[d], key.x, key.y);
                    ADD_MMA(scores[2 * j + 1], query[d], key.z, key.w);
                }
            }
#pragma unroll
            for (uint i = 2 * j; i < 2 * j + 2; ++i) {
                const uint key = 8 * i + 2 * (lane % 4);
                scores[i].xz = key < here ? scores[i].xz * scale : (float2)-INFINITY;
                scores[i].yw = key + 1 < here ? scores[i].yw * scale : (float2)-INFINITY;
                most = max(most, max(scores[i].xz, scores[i].yw));
            }
        }
        most = max(largest, (float2)(largest_of_four(most.x), largest_of_four(most.y)));
        const float2 shrink = (float2)(native_exp2(largest.x - most.x), native_exp2(largest.y - most.y));
        largest = most;
        total *= shrink;
#pragma unroll
        for (uint d = 0; d < CHUNKS; ++d) sums[d] *= shrink.xxyy;
#pragma unroll
        for (uint j = 0; j < BLOCK / 16; ++j) {
            if (16 * j >= here) continue;
#pragma unroll
            for (uint i = 2 * j; i < 2 * j + 2; ++i) {
                scores[i].x = native_exp2(scores[i].x - most.x);
                scores[i].y = native_exp2(scores[i].y - most.x);
                scores[i].z = native_exp2(scores[i].z - most.y);
                scores[i].w = native_exp2(scores[i].w - most.y);
                total += (float2)(scores[i].x + scores[i].y, scores[i].z + scores[i].w);
            }
            const uint4 weight = (uint4)(bf16_pair(scores[2 * j].x, scores[2 * j].y), bf16_pair(scores[2 * j].z, scores[2 * j].w),
                                         bf16_pair(scores[2 * j + 1].x, scores[2 * j + 1].y),
                                         bf16_pair(scores[2 * j + 1].z, scores[2 * j + 1].w));
#pragma unroll
            for (uint d = 0; d < CHUNKS; d += 2) {
                const uint4 value = load_transposed(from_values + (16 * j + lane % 16) * ROW_BYTES + (d + lane / 16) * 16);
                ADD_MMA(sums[d], weight, value.x, value.y);
                ADD_MMA(sums[d + 1], weight, value.z, value.w);
            }
        }
    }
    if (!busy) return;
    const float2 share = (float2)(1.0f / sum_of_four(total.x), 1.0f / sum_of_four(total.y));
#pragma unroll
    for (uint i = 0; i < 2; ++i) {
        const uint row = first_query + warp_query + 8 * i + lane / 4;
        __global ushort* to = out + (size_t)(first + row) * width + head * HEAD;
#pragma unroll
        for (uint d = 0; d < CHUNKS; d += 2) {
            const float2 one = (i ? sums[d].zw : sums[d].xy) * (i ? share.y : share.x);
            const float2 next = (i ? sums[d + 1].zw : sums[d + 1].xy) * (i ? share.y : share.x);
            store_pairs(bf16_pair(one.x, one.y), bf16_pair(next.x, next.y), to + 8 * d, row < length);
        }
    }
}
