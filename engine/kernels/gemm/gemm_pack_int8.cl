// B as gemm_pack.cl packs it, its columns rotated (rotate.cl), in bytes of -127 to 127: [panel][depth / 4][column][4].
// Then of every column its scale and 64 times the sum of its bytes, which products with A's bytes have too much. One
// work-item a panel.

// Numbers of a column from i on, `stride` apart.
inline float16 load_column(__global const float* from, uint i, uint count, size_t stride) {
    if (stride == 1) return load_columns(from, i, count, 0.0f);
    float lane[16];
    for (uint j = 0; j < 16; ++j) lane[j] = i + j < count ? from[(i + j) * stride] : 0.0f;
    return vload16(0, lane);
}

// Bytes of a column from i on, in groups of four that lie `apart` bytes apart.
inline void store_groups(int16 bytes, __global char* to, uint i, uint depth, uint apart) {
    char lane[16];
    vstore16(__builtin_convertvector(bytes, char16), 0, lane);
    for (uint g = i; g < min(i + 16, depth); g += 4) {
        vstore4(vload4(0, lane + g - i), 0, to + g / 4 * apart);
    }
}

inline int sum_of_bytes(int16 bytes) {
    const int8 a = bytes.lo + bytes.hi;
    const int4 b = a.lo + a.hi;
    return b.x + b.y + b.z + b.w;
}

__kernel void gemm_pack_int8(__global const float* b, __global char* packed, uint k, uint n, uint depth_stride,
                             uint column_stride) {
    const uint wide = 16 * VECTORS;
    const uint panel = get_global_id(0);
    const uint panels = (n + wide - 1) / wide;
    if (panel >= panels) return;
    const uint depth = (k + 3) / 4 * 4;
    __global char* to = packed + (size_t)panel * depth * wide;
    __global float* scales = (__global float*)(packed + (size_t)panels * depth * wide) + panel * wide;
    __global int* corrections = (__global int*)scales + panels * wide;
    for (uint j = 0; j < wide; ++j) {
        const uint column = panel * wide + j;
        const uint count = column < n ? k : 0;
        __global const float* from = b + (size_t)column * column_stride;
        float16 largest = (float16)0.0f;
        // A rotation and its like make a block as many times as large as it has numbers.
        FOR_ROTATED(i, k, load_column(from, i, count, depth_stride),
                    largest = max(largest, fabs(value * (1.0f / block_size)));)
        const float most = largest_of(largest);
        const float steps = most > 0.0f ? 127.0f / most : 0.0f;
        const float16 shift = (float16)12582912.0f;  // 1.5 * 2^23 leaves the nearest whole number in the low bits
        int total = 0;
        FOR_ROTATED(i, k, load_column(from, i, count, depth_stride), {
            const float16 number = fma(value * (1.0f / block_size), (float16)steps, shift);
            const int16 bytes = as_int16(number) - as_int16(shift);
            total += sum_of_bytes(bytes);
            store_groups(bytes, to + 4 * j, i, depth, 4 * wide);
        })
        scales[j] = most / 127.0f;
        corrections[j] = 64 * total;
    }
}
