// out[i] = c[i] + the product of two pairs of bf16, 16 at a time: the first work-item of 16 does it all.
__kernel void self_test_avx512_bf16(__global const uint* a, __global const uint* b, __global const float* c,
                                    __global float* out) {
    const size_t i = get_global_id(0);
    if (i % 16 != 0) return;
    float16 sum = vload16(0, c + i);
    const uint16 x = vload16(0, a + i);
    const uint16 y = vload16(0, b + i);
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
    vstore16(sum, 0, out + i);
}
