// B (k x n, element (i, j) at i * depth_stride + j * column_stride) as panels of 16 * VECTORS columns:
// [panel][depth][column], or for bf16 [panel][depth / 2][column][2]. Depth is padded to DEPTH_UNIT and the
// last panel's columns with zeros. One work-item a panel.

inline ushort to_bf16(float value) {
    const uint bits = as_uint(value);
    return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;  // to the nearest, ties to even
}

__kernel void gemm_pack(__global const float* b, __global void* packed, uint k, uint n, uint depth_stride,
                        uint column_stride) {
    const uint wide = 16 * VECTORS;
    const size_t panel = get_global_id(0);
    if (panel * wide >= n) return;
    const uint depth = (k + DEPTH_UNIT - 1) / DEPTH_UNIT * DEPTH_UNIT;
    for (uint i = 0; i < depth; ++i) {
        for (uint j = 0; j < wide; ++j) {
            const size_t column = panel * wide + j;
            const float value =
                i < k && column < n ? b[(size_t)i * depth_stride + column * column_stride] : 0.0f;
#if BF16
            ((__global ushort*)packed)[((panel * depth + (i & ~1u)) * wide) + 2 * j + (i & 1u)] = to_bf16(value);
#else
            ((__global float*)packed)[(panel * depth + i) * wide + j] = value;
#endif
        }
    }
}
