// out[i] = c[i] + the products of four bytes of a and of b, 16 at a time: the first work-item of 16 does it all.
__kernel void self_test_avx512_vnni(__global const uint* a, __global const uint* b, __global const int* c,
                           __global float* out) {
    const size_t i = get_global_id(0);
    if (i % 16 != 0) return;
    int16 sum = vload16(0, c + i);
    const uint16 x = vload16(0, a + i);
    const uint16 y = vload16(0, b + i);
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
    vstore16(convert_float16(sum), 0, out + i);
}
