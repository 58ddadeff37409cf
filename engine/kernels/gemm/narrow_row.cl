// Row `row` of a matrix of `columns` as products of METHOD (dot.cl) take it as a row of A. BF16, AMX and GPUs: bf16.
// Otherwise rotated (rotate.cl), as bytes of 1 to 127, where 64 stands for 0, and their scale: the rotated number is at
// most half a scale away.

#if GROUP_FLAVOUR

inline void narrow_row(__global const float* from, __global void* out, __global float* scales, size_t row, uint columns) {
    __global ushort* to = (__global ushort*)out + row * columns;
    FOR_COLUMNS(i, columns, to[i] = to_bf16(from[i]);)
}

#elif METHOD == BF16 || METHOD == AMX

inline void narrow_row(__global const float* from, __global void* out, __global float* scales, size_t row, uint columns) {
    __global ushort* to = (__global ushort*)out + row * columns;
    FOR_COLUMNS(i, columns, store_rounded(load_columns(from, i, columns, 0.0f), to, i, columns);)
}

#elif METHOD != FP32

#define MOST_STEPS 63.0f
typedef uchar16 unaligned_bytes __attribute__((aligned(1)));

inline void store_bytes(int16 value, __global uchar* p, uint i, uint count) {
    const uchar16 bytes = __builtin_convertvector(value, uchar16);
    if (i + 16 <= count) {
        *(__global unaligned_bytes*)(p + i) = bytes;
        return;
    }
    uchar lane[16];
    vstore16(bytes, 0, lane);
    for (uint j = 0; i + j < count; ++j) p[i + j] = lane[j];
}

inline void narrow_row(__global const float* from, __global void* out, __global float* scales, size_t row, uint columns) {
    __global uchar* to = (__global uchar*)out + row * columns;
    float16 most = (float16)0.0f;
    FOR_ROTATED(i, columns, load_columns(from, i, columns, 0.0f), most = max(most, fabs(value));)
    const float largest = largest_of(most);
    const float steps = largest > 0.0f ? MOST_STEPS / largest : 0.0f;
    scales[row] = largest / MOST_STEPS;
    // Adding 1.5 * 2^23 + 64 leaves the nearest whole number, plus 64, in the low byte.
    FOR_ROTATED(i, columns, load_columns(from, i, columns, 0.0f), {
        const float16 number = fma(value, (float16)steps, (float16)12582976.0f);
        store_bytes(as_int16(number) & 127, to, i, columns);
    })
}

#endif
