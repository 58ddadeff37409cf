// Softmax(Q K^T / sqrt(HEAD)) V of sequences of any lengths that lie behind each other without padding, on
// processors: one work-item a sequence and head. Row t of qkv holds the queries, keys and values of token t,
// `heads` times HEAD numbers each. K transposed and V lie in private memory first: in qkv their rows are
// kilobytes apart and would evict each other from the first-level cache. KEYS is at least the longest
// sequence. HEAD is a multiple of 16. offsets[s] is sequence s's first token, offsets[s + 1] the end.
// `order` names the sequences, longest first, so that the last work-items are short ones.

#define HEAD_VECTORS (HEAD / 16)
#define QUERIES 4

// Transposes 16 x 16 in four steps: rows i and i + D exchange what lies D apart. Written out, since a loop over
// an array of vectors would keep it in memory.
#define EXCHANGE(D, i)                                                    \
    {                                                                     \
        const float16 x = t[i];                                           \
        const float16 y = t[i + D];                                       \
        t[i] = __builtin_shufflevector(x, y, LOW_##D);                    \
        t[i + D] = __builtin_shufflevector(x, y, HIGH_##D);               \
    }
#define EXCHANGE_8(D, a, b, c, d, e, f, g, h) \
    EXCHANGE(D, a) EXCHANGE(D, b) EXCHANGE(D, c) EXCHANGE(D, d) \
    EXCHANGE(D, e) EXCHANGE(D, f) EXCHANGE(D, g) EXCHANGE(D, h)
#define LOW_8 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define HIGH_8 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#define LOW_4 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27
#define HIGH_4 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31
#define LOW_2 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define HIGH_2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define LOW_1 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define HIGH_1 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31

inline void transpose(float16* t) {
    EXCHANGE_8(8, 0, 1, 2, 3, 4, 5, 6, 7)
    EXCHANGE_8(4, 0, 1, 2, 3, 8, 9, 10, 11)
    EXCHANGE_8(2, 0, 1, 4, 5, 8, 9, 12, 13)
    EXCHANGE_8(1, 0, 2, 4, 6, 8, 10, 12, 14)
}

// The scores of QUERIES queries against WIDE times 16 keys: each query's number serves all of them.
#define SCORE(name, WIDE)                                                                              \
    inline void name(__global const float* const* query, const float16* keys, float scale, uint block, \
                     uint length, float16 (*scores)[KEYS / 16], float16* most) {                       \
        float16 sums[QUERIES][WIDE];                                                                   \
        _Pragma("unroll") for (uint r = 0; r < QUERIES; ++r) {                                         \
            _Pragma("unroll") for (uint w = 0; w < WIDE; ++w) sums[r][w] = (float16)0.0f;              \
        }                                                                                              \
        for (uint d = 0; d < HEAD; ++d) {                                                              \
            _Pragma("unroll") for (uint r = 0; r < QUERIES; ++r) {                                     \
                const float16 q = (float16)(query[r][d]);                                              \
                _Pragma("unroll") for (uint w = 0; w < WIDE; ++w) {                                    \
                    sums[r][w] = fma(q, keys[(block + w) * HEAD + d], sums[r][w]);                     \
                }                                                                                      \
            }                                                                                          \
        }                                                                                              \
        _Pragma("unroll") for (uint w = 0; w < WIDE; ++w) {                                            \
            const int16 exists = (int)(16 * (block + w)) + LANE_NUMBERS < (int)length;                 \
            _Pragma("unroll") for (uint r = 0; r < QUERIES; ++r) {                                     \
                const float16 score = pick((float16)-INFINITY, sums[r][w] * scale, exists);            \
                most[r] = max(most[r], score);                                                         \
                scores[r][block + w] = score;                                                          \
            }                                                                                          \
        }                                                                                              \
    }
SCORE(score_one, 1)
SCORE(score_two, 2)

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void attention_block(
    __global const float* qkv, __global const uint* offsets, __global const uint* order, __global float* out,
    uint heads) {
    const uint sequence = order[get_group_id(0) / heads];
    const uint head = get_group_id(0) % heads;
    const uint first = offsets[sequence];
    const uint length = offsets[sequence + 1] - first;
    const uint padded = (length + 15) / 16 * 16;
    const uint width = heads * HEAD;
    const size_t token = 3 * (size_t)width;
    __global const float* q = qkv + first * token + head * HEAD;
    out += (size_t)first * width + head * HEAD;

    float16 keys[KEYS / 16 * HEAD];   // [16 keys][HEAD]
    float16 values[KEYS * HEAD_VECTORS];
    float16 scores[QUERIES][KEYS / 16];
    for (uint block = 0; block < padded; block += 16) {
        for (uint d = 0; d < HEAD; d += 16) {
            float16 t[16];
#pragma unroll
            for (uint j = 0; j < 16; ++j) {
                // Keys beyond the last repeat it; their scores are taken out below.
                const uint key = min(block + j, length - 1);
                t[j] = load_vector(q + width + key * token + d);
                values[(block + j) * HEAD_VECTORS + d / 16] = load_vector(q + 2 * width + key * token + d);
            }
            transpose(t);
#pragma unroll
            for (uint j = 0; j < 16; ++j) keys[block / 16 * HEAD + d + j] = t[j];
        }
    }

    const float scale = 1.0f / sqrt((float)HEAD);
    for (uint i = 0; i < length; i += QUERIES) {
        __global const float* query[QUERIES];
        float16 most[QUERIES];
#pragma unroll
        for (uint r = 0; r < QUERIES; ++r) {
            query[r] = q + min(i + r, length - 1) * token;  // rows beyond the last are not stored
            most[r] = (float16)-INFINITY;
        }
        uint block = 0;
        for (; block + 2 <= padded / 16; block += 2) {
            score_two(query, keys, scale, block, length, scores, most);
        }
        if (block < padded / 16) score_one(query, keys, scale, block, length, scores, most);
        float share[QUERIES];
#pragma unroll
        for (uint r = 0; r < QUERIES; ++r) {
            const float largest = largest_of(most[r]);
            float16 total = (float16)0.0f;
            for (block = 0; block < padded / 16; ++block) {
                const float16 e = vector_exp(scores[r][block] - largest);
                total += e;
                scores[r][block] = e;
            }
            share[r] = 1.0f / sum_of(total);
        }
        float16 result[QUERIES][HEAD_VECTORS];
#pragma unroll
        for (uint r = 0; r < QUERIES; ++r) {
#pragma unroll
            for (uint v = 0; v < HEAD_VECTORS; ++v) result[r][v] = (float16)0.0f;
        }
        for (uint j = 0; j < length; ++j) {
#pragma unroll
            for (uint r = 0; r < QUERIES; ++r) {
                const float16 weight = (float16)(((const float*)scores[r])[j]);
#pragma unroll
                for (uint v = 0; v < HEAD_VECTORS; ++v) {
                    result[r][v] = fma(weight, values[j * HEAD_VECTORS + v], result[r][v]);
                }
            }
        }
#pragma unroll
        for (uint r = 0; r < QUERIES; ++r) {
            if (i + r >= length) break;
#pragma unroll
            for (uint v = 0; v < HEAD_VECTORS; ++v) {
                store_vector(result[r][v] * share[r], out + (size_t)(i + r) * width + 16 * v);
            }
        }
    }
}
