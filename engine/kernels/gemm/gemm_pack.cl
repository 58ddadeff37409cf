// B (k x n, element (i, j) at i * depth_stride + j * column_stride) as panels of 16 * VECTORS columns:
// [panel][depth][column], for pairs of bf16 (LAYOUT PAIRS) [panel][depth / 2][column][2], for tensor cores (MMA)
// [panel][depth / 32][column][32]. Depth is padded to DEPTH_UNIT and the last panel's columns with zeros. On processors
// one work-item a panel; on GPUs (SLAB) one for SLAB of the depth of a column.

#define WIDE (16 * VECTORS)

inline void pack_number(__global const float* b, __global void* packed, uint k, uint n, uint depth_stride,
                        uint column_stride, size_t panel, uint depth, uint i, uint j) {
    const size_t column = panel * WIDE + j;
    const float value = i < k && column < n ? b[(size_t)i * depth_stride + column * column_stride] : 0.0f;
#if LAYOUT == PAIRS
    ((__global ushort*)packed)[(panel * depth + (i & ~1u)) * WIDE + 2 * j + (i & 1u)] = to_bf16(value);
#elif LAYOUT == MMA
    ((__global ushort*)packed)[(panel * depth + (i & ~31u)) * WIDE + 32 * j + (i & 31u)] = to_bf16(value);
#else
    ((__global float*)packed)[(panel * depth + i) * WIDE + j] = value;
#endif
}

__kernel void gemm_pack(__global const float* b, __global void* packed, uint k, uint n, uint depth_stride,
                        uint column_stride) {
    const uint depth = (k + DEPTH_UNIT - 1) / DEPTH_UNIT * DEPTH_UNIT;
#if SLAB
    const uint slabs = (depth + SLAB - 1) / SLAB;
    const uint j = get_global_id(0) % WIDE;
    const uint first = get_global_id(0) / WIDE % slabs * SLAB;
    const size_t panel = get_global_id(0) / WIDE / slabs;
    if (panel * WIDE >= n) return;
    for (uint i = first; i < min(first + SLAB, depth); ++i) {
        pack_number(b, packed, k, n, depth_stride, column_stride, panel, depth, i, j);
    }
#else
    const size_t panel = get_global_id(0);
    if (panel * WIDE >= n) return;
    for (uint i = 0; i < depth; ++i) {
        for (uint j = 0; j < WIDE; ++j) {
            pack_number(b, packed, k, n, depth_stride, column_stride, panel, depth, i, j);
        }
    }
#endif
}
