// B as gemm_pack.cl packs it, in bytes of -127 to 127: [panel][depth / 4][column][4]. Then of every column its scale and
// 64 times the sum of its bytes, which products with A's bytes have too much. One work-item a panel.
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
        const uint rows = column < n ? k : 0;
        __global const float* from = b + (size_t)column * column_stride;
        float most = 0.0f;
        for (uint i = 0; i < rows; ++i) most = max(most, fabs(from[(size_t)i * depth_stride]));
        const float steps = most > 0.0f ? 127.0f / most : 0.0f;
        const float shift = 12582912.0f;  // 1.5 * 2^23 leaves the nearest whole number in the low bits
        int total = 0;
        for (uint i = 0; i < depth; ++i) {
            const float number = i < rows ? from[(size_t)i * depth_stride] : 0.0f;
            const int byte = as_int(fma(number, steps, shift)) - as_int(shift);
            total += byte;
            to[(i / 4 * wide + j) * 4 + i % 4] = byte;
        }
        scales[j] = most / 127.0f;
        corrections[j] = 64 * total;
    }
}
