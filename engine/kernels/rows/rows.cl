// What kernels over the rows of a matrix share. Two flavours:
//   block  one work-item a row, 16 columns at a time: no barriers, which cost processors dearly;
//   group  one work-group of GROUP items a row, one column each: coalesced loads on GPUs.
// A kernel walks its row with FOR_COLUMNS and joins what the lanes found with sum_of and so on.

#if GROUP_FLAVOUR
#define ROW get_group_id(0)
#define FIRST_COLUMN get_local_id(0)
#define LANES_OF_ROW __local float lanes[GROUP];
#define JOIN_LANES , lanes
#define JOIN_PARAMETER , __local float* lanes
#else
#define ROW get_global_id(0)
#define FIRST_COLUMN 0
#define LANES_OF_ROW
#define JOIN_LANES
#define JOIN_PARAMETER
#endif

#if WIDTH == 16
#define LANE_NUMBERS ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#else
#define LANE_NUMBERS 0
#endif

// Does the third argument with every i where this work-item has a column, or 16. For vectors it is compiled twice:
// whole ones need no look at which columns exist, which costs a quarter of a softmax's time.
#if WIDTH == 16
#define FOR_COLUMNS(i, count, ...)                \
    {                                             \
        uint i = 0;                               \
        for (; i + 16 <= (count); i += 16) {      \
            __VA_ARGS__                           \
        }                                         \
        if (i < (count)) {                        \
            __VA_ARGS__                           \
        }                                         \
    }
#else
#define FOR_COLUMNS(i, count, ...)                                        \
    for (uint i = FIRST_COLUMN; i < (count); i += GROUP) {                \
        __VA_ARGS__                                                       \
    }
#endif

#if WIDTH == 16
// PoCL's vload16 and vstore16 may become four moves of a quarter each; these are one, at any address.
typedef float16 unaligned_floats __attribute__((aligned(4)));
inline float16 load_vector(__global const float* p) {
    return *(__global const unaligned_floats*)p;
}
inline void store_vector(float16 value, __global float* p) {
    *(__global unaligned_floats*)p = value;
}
#endif

// The columns of p from i on that exist, of `count`; `missing` for the others.
inline floats load_columns(__global const float* p, uint i, uint count, float missing) {
#if WIDTH == 16
    if (i + 16 <= count) return load_vector(p + i);
    float lane[16];
    for (uint j = 0; j < 16; ++j) lane[j] = i + j < count ? p[i + j] : missing;
    return vload16(0, lane);
#else
    return p[i];
#endif
}

inline void store_columns(floats value, __global float* p, uint i, uint count) {
#if WIDTH == 16
    if (i + 16 <= count) {
        store_vector(value, p + i);
        return;
    }
    float lane[16];
    vstore16(value, 0, lane);
    for (uint j = 0; i + j < count; ++j) p[i + j] = lane[j];
#else
    p[i] = value;
#endif
}

// To the nearest bf16, ties to even.
inline ushort to_bf16(float value) {
    const uint bits = as_uint(value);
    return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

#if GROUP_FLAVOUR
#define JOIN(name, join)                                             \
    inline float name(float value, __local float* lanes) {           \
        const uint item = get_local_id(0);                           \
        lanes[item] = value;                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                \
        for (uint half_count = GROUP / 2; half_count > 0; half_count /= 2) { \
            if (item < half_count) lanes[item] = join(lanes[item], lanes[item + half_count]); \
            barrier(CLK_LOCAL_MEM_FENCE);                            \
        }                                                            \
        const float joined = lanes[0];                               \
        barrier(CLK_LOCAL_MEM_FENCE); /* before the next one writes */ \
        return joined;                                               \
    }
#else
#define JOIN(name, join)                                  \
    inline float name(float16 value) {                    \
        const float8 a = join(value.lo, value.hi);        \
        const float4 b = join(a.lo, a.hi);                \
        const float2 c = join(b.lo, b.hi);                \
        return join(c.x, c.y);                            \
    }
#endif
#define PLUS(a, b) ((a) + (b))
JOIN(sum_of, PLUS)
JOIN(largest_of, max)
JOIN(smallest_of, min)

// to = (x - mean) / sqrt(variance + epsilon) * gain + shift over one row; may be the same memory. The
// variance is taken around the mean, not as a difference of large sums.
inline void normalise_row(__global const float* from, __global float* to, __global const float* gain,
                          __global const float* shift, float epsilon, uint columns JOIN_PARAMETER) {
    floats total = (floats)0.0f;
    FOR_COLUMNS(i, columns, total += load_columns(from, i, columns, 0.0f);)
    const float mean = sum_of(total JOIN_LANES) / columns;
    floats squares = (floats)0.0f;
    FOR_COLUMNS(i, columns, {
        const floats distance = load_columns(from, i, columns, mean) - mean;
        squares = fma(distance, distance, squares);
    })
    const float scale = 1.0f / sqrt(sum_of(squares JOIN_LANES) / columns + epsilon);
    FOR_COLUMNS(i, columns, {
        const floats value = (load_columns(from, i, columns, 0.0f) - mean) * scale;
        store_columns(fma(value, load_columns(gain, i, columns, 0.0f), load_columns(shift, i, columns, 0.0f)),
                      to, i, columns);
    })
}
