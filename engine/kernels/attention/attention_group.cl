// Attention as in attention_block.cl, on GPUs: one work-group of GROUP items a query token and head. The
// scores of its sequence (at most KEYS) lie in local memory. token_sequence[t] is token t's sequence.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void attention_group(
    __global const float* qkv, __global const uint* offsets, __global const uint* token_sequence,
    __global float* out, uint heads) {
    LANES_OF_ROW
    __local float scores[KEYS];
    __local float query[HEAD];
    const uint item = get_local_id(0);
    const size_t t = get_group_id(0) / heads;
    const uint head = get_group_id(0) % heads;
    const uint first = offsets[token_sequence[t]];
    const uint length = offsets[token_sequence[t] + 1] - first;
    const uint width = heads * HEAD;
    const size_t token = 3 * (size_t)width;
    qkv += head * HEAD;
    for (uint d = item; d < HEAD; d += GROUP) query[d] = qkv[t * token + d];
    barrier(CLK_LOCAL_MEM_FENCE);

    const float scale = 1.0f / sqrt((float)HEAD);
    float most = -INFINITY;
    for (uint j = item; j < length; j += GROUP) {
        __global const float* key = qkv + (first + j) * token + width;
        float sum = 0.0f;
        for (uint d = 0; d < HEAD; ++d) sum = fma(query[d], key[d], sum);
        scores[j] = sum * scale;
        most = fmax(most, scores[j]);
    }
    const float largest = largest_of(most, lanes);
    float total = 0.0f;
    for (uint j = item; j < length; j += GROUP) {
        scores[j] = vector_exp(scores[j] - largest);
        total += scores[j];
    }
    const float share = 1.0f / sum_of(total, lanes);
    for (uint d = item; d < HEAD; d += GROUP) {
        float sum = 0.0f;
        for (uint j = 0; j < length; ++j) sum = fma(scores[j], qkv[(first + j) * token + 2 * width + d], sum);
        out[t * width + head * HEAD + d] = sum * share;
    }
}
