// Softmax(Q K^T / sqrt(HEAD)) V of sequences of any lengths that lie behind each other without padding, on
// processors: one work-item a sequence and head. Row t of qkv holds the queries, keys and values of token t,
// `heads` times HEAD numbers each. METHOD (dot.cl) is what they and the weights are, and what comes out is rounded to.
//
// K transposed, V and some of Q lie in private memory first: in qkv their rows are kilobytes apart and would evict each
// other from the first-level cache. For the same reason the processor does not guess what is read next: while
// one head is computed the rows of the next are fetched, a few at a time. KEYS is at least the longest sequence.
// HEAD is a multiple of 16. offsets[s] is sequence s's first token, offsets[s + 1] the end. `order` names the
// sequences, longest first, so that the last work-items are short ones.

#define HEAD_VECTORS (HEAD / 16)
#define HEAD_WORDS ((HEAD / PER_WORD + 15) / 16 * 16)
#define KEY_VECTORS (KEYS / 16)
// Queries that are computed together, and 16 keys or results at a time: their sums fill the registers, 32 of 16 numbers
// or 16 of 8. What is added to what does not depend on it.
#ifdef __AVX512F__
#define QUERIES 4
#define WIDEST 4
#define RESULTS HEAD_VECTORS
#else
#define QUERIES 6
#define WIDEST 1
#define RESULTS 1
#endif
#define COPIED_QUERIES (64 / QUERIES * QUERIES)
#define UNROLLED _Pragma("unroll")
#if METHOD == FP32
typedef float number;
#else
typedef ushort number;
#endif
#define LINE (64 / sizeof(number))

// Rows of one sequence and head.
typedef struct {
    __global const number* queries;  // keys and values lie `width` and 2 * `width` numbers further
    uint length;
    size_t token;  // numbers from row to row
    uint width;
} Rows;

inline Rows rows_of(__global const number* qkv, __global const uint* offsets, __global const uint* order, uint group,
                    uint heads) {
    const uint first = offsets[order[group / heads]];
    Rows rows;
    rows.length = offsets[order[group / heads] + 1] - first;
    rows.width = heads * HEAD;
    rows.token = 3 * (size_t)rows.width;
    rows.queries = qkv + first * rows.token + group % heads * HEAD;
    return rows;
}

// Row i, or the last one.
inline __global const number* row_at(const Rows* rows, uint i) {
    return rows->queries + min(i, rows->length - 1) * rows->token;
}

// A hint to the processor: query, key and value i will be read soon.
inline void fetch(const Rows* rows, uint i) {
    UNROLLED for (uint part = 0; part < 3; ++part) {
        UNROLLED for (uint d = 0; d < HEAD; d += LINE) {
            __builtin_prefetch((const void*)(size_t)(row_at(rows, i) + part * rows->width + d), 0, 2);
        }
    }
}

// Another: HEAD numbers will be written there.
inline void fetch_to_write(__global number* row) {
    UNROLLED for (uint d = 0; d < HEAD; d += LINE) __builtin_prefetch((const void*)(size_t)(row + d), 1, 3);
}

// 16 words of a row of HEAD numbers, from number d on.
inline words row_words(__global const number* row, uint d) {
#if METHOD == FP32
    return load_vector(row + d);
#else
    typedef uint8 half_of_words __attribute__((aligned(2)));
    const uint8 low = *(__global const half_of_words*)(row + d);
    return (words)(low, d + 16 < HEAD ? *(__global const half_of_words*)(row + d + 16) : (uint8)0);
#endif
}

// From query `first` on, as many as are copied at a time; the last repeated to whole blocks.
inline void copy_queries(const Rows* rows, uint first, words* queries) {
    const uint end = min(first + COPIED_QUERIES, (rows->length + QUERIES - 1) / QUERIES * QUERIES);
    for (uint i = first; i < end; ++i) {
        UNROLLED for (uint d = 0; d < HEAD_WORDS; d += 16) *queries++ = row_words(row_at(rows, i), d * PER_WORD);
    }
}

// [16 keys][HEAD_WORDS], lane i of a word is key i. score() takes out what is beyond the last key.
inline void copy_keys(const Rows* rows, words* keys) {
    for (uint block = 0; block < rows->length; block += 16) {
        for (uint d = 0; d < HEAD_WORDS; d += 16) {
            float16 t[16];
            UNROLLED for (uint j = 0; j < 16; ++j) {
                t[j] = as_float16(row_words(row_at(rows, block + j) + rows->width, d * PER_WORD));
            }
            transpose(t);
            UNROLLED for (uint j = 0; j < 16; ++j) *keys++ = as_words(t[j]);
        }
    }
}

// [length / PER_WORD][HEAD_VECTORS]
inline void copy_values(const Rows* rows, words* values) {
    for (uint j = 0; j < rows->length; j += PER_WORD) {
        __global const number* row = row_at(rows, j) + 2 * rows->width;
        UNROLLED for (uint d = 0; d < HEAD; d += 16) {
#if METHOD == FP32
            *values++ = load_vector(row + d);
#else
            __global const number* second = row_at(rows, j + 1) + 2 * rows->width;
            *values++ = bf16_pairs(*(__global const unaligned_bf16*)(row + d),
                                   *(__global const unaligned_bf16*)(second + d));
#endif
        }
    }
}

// The scores of QUERIES queries against WIDE times 16 keys: each query's word serves all of them. Weights are
// powers of two, hence the logarithm in the scale. With the first keys, rows i and so on of `next` are fetched.
#define SCORE(WIDE)                                                                                        \
    inline void score_##WIDE(const word* queries, const words* keys, uint block, uint length,              \
                             float16 (*scores)[KEY_VECTORS], float16* most, const Rows* next, uint i) {    \
        float16 sums[QUERIES][WIDE];                                                                       \
        UNROLLED for (uint r = 0; r < QUERIES; ++r) {                                                      \
            UNROLLED for (uint w = 0; w < WIDE; ++w) sums[r][w] = (float16)0.0f;                           \
        }                                                                                                  \
        const words* key_words = keys + block * HEAD_WORDS;                                                \
        for (uint part = 0; part < QUERIES; ++part) {                                                      \
            if (block == 0) fetch(next, i + part);                                                         \
            for (uint d = part * HEAD / PER_WORD / QUERIES; d < (part + 1) * HEAD / PER_WORD / QUERIES; ++d) { \
                UNROLLED for (uint r = 0; r < QUERIES; ++r) {                                              \
                    const words query = (words)(queries[r * HEAD_WORDS + d]);                              \
                    UNROLLED for (uint w = 0; w < WIDE; ++w) {                                             \
                        ADD_PRODUCT(sums[r][w], query, key_words[w * HEAD_WORDS + d]);                     \
                    }                                                                                      \
                }                                                                                          \
            }                                                                                              \
        }                                                                                                  \
        const float scale = LOG2_E / sqrt((float)HEAD);                                                    \
        UNROLLED for (uint w = 0; w < WIDE; ++w) {                                                         \
            const int16 exists = (int)(16 * (block + w)) + LANE_NUMBERS < (int)length;                     \
            UNROLLED for (uint r = 0; r < QUERIES; ++r) {                                                  \
                float16 score = sums[r][w] * scale;                                                        \
                if (w + 1 == WIDE) score = pick((float16)-INFINITY, score, exists);                        \
                most[r] = max(most[r], score);                                                             \
                scores[r][block + w] = score;                                                              \
            }                                                                                              \
        }                                                                                                  \
    }
SCORE(1)
#if WIDEST == 4
SCORE(2)
SCORE(3)
SCORE(4)
#define SCORE_WIDEST score_4
#else
#define SCORE_WIDEST score_1
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void attention_block(
    __global const number* qkv, __global const uint* offsets, __global const uint* order, __global number* out,
    uint heads) {
    const uint group = get_group_id(0);
    const Rows rows = rows_of(qkv, offsets, order, group, heads);
    const Rows next = rows_of(qkv, offsets, order, min(group + 1, (uint)get_num_groups(0) - 1), heads);
    const uint length = rows.length;
    const uint vectors = (length + 15) / 16;
    out += (size_t)offsets[order[group / heads]] * rows.width + group % heads * HEAD;

    words queries[COPIED_QUERIES * HEAD_WORDS / 16];
    words keys[KEY_VECTORS * HEAD_WORDS];
    words values[KEYS / PER_WORD * HEAD_VECTORS];
    copy_keys(&rows, keys);
    copy_values(&rows, values);

    for (uint i = 0; i < length; i += QUERIES) {
        if (i % COPIED_QUERIES == 0) copy_queries(&rows, i, queries);
        const word* of_block = (const word*)queries + i % COPIED_QUERIES * HEAD_WORDS;
        float16 scores[QUERIES][KEY_VECTORS];
        float16 most[QUERIES];
        UNROLLED for (uint r = 0; r < QUERIES; ++r) most[r] = (float16)-INFINITY;
        uint block = 0;
        for (; block + WIDEST < vectors; block += WIDEST) {
            SCORE_WIDEST(of_block, keys, block, length, scores, most, &next, i);
        }
        switch (vectors - block) {
            case 1: score_1(of_block, keys, block, length, scores, most, &next, i); break;
#if WIDEST == 4
            case 2: score_2(of_block, keys, block, length, scores, most, &next, i); break;
            case 3: score_3(of_block, keys, block, length, scores, most, &next, i); break;
            case 4: score_4(of_block, keys, block, length, scores, most, &next, i); break;
#endif
        }

        UNROLLED for (uint r = 0; r < QUERIES; ++r) fetch_to_write(out + min(i + r, length - 1) * (size_t)rows.width);
        word weights[QUERIES][KEYS / PER_WORD] __attribute__((aligned(64)));
        float share[QUERIES];
        UNROLLED for (uint r = 0; r < QUERIES; ++r) {
            const float largest = largest_of(most[r]);
            float16 total = (float16)0.0f;
            for (block = 0; block < vectors; ++block) {
                const float16 weight = vector_exp2_to_one(scores[r][block] - largest);
                total += weight;
#if METHOD == FP32
                *(float16*)&weights[r][16 * block] = weight;
#else
                *(ushort16*)&weights[r][8 * block] = round_to_bf16(weight);
#endif
            }
            share[r] = 1.0f / sum_of(total);
        }

        for (uint first = 0; first < HEAD_VECTORS; first += RESULTS) {
            float16 result[QUERIES][RESULTS];
            UNROLLED for (uint r = 0; r < QUERIES; ++r) {
                UNROLLED for (uint v = 0; v < RESULTS; ++v) result[r][v] = (float16)0.0f;
            }
            for (uint j = 0; j < (length + PER_WORD - 1) / PER_WORD; ++j) {
                UNROLLED for (uint r = 0; r < QUERIES; ++r) {
                    const words weight = (words)(weights[r][j]);
                    UNROLLED for (uint v = 0; v < RESULTS; ++v) {
                        ADD_PRODUCT(result[r][v], weight, values[j * HEAD_VECTORS + first + v]);
                    }
                }
            }
            UNROLLED for (uint r = 0; r < QUERIES; ++r) {
                if (i + r >= length) break;  // repeated queries
                UNROLLED for (uint v = 0; v < RESULTS; ++v) {
                    __global number* to = out + (size_t)(i + r) * rows.width + 16 * (first + v);
#if METHOD == FP32
                    store_vector(result[r][v] * share[r], to);
#else
                    *(__global unaligned_bf16*)to = round_to_bf16(result[r][v] * share[r]);
#endif
                }
            }
        }
    }
}
