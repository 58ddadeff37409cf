// out[i] = c[i] + the products of four bytes of a and of b, 8 at a time: the first work-item of 8 does it all.
__kernel void self_test_avx2(__global const uint* a, __global const uint* b, __global const int* c,
                           __global float* out) {
    const size_t i = get_global_id(0);
    if (i % 8 != 0) return;
    const uint8 x = vload8(0, a + i);
    const uint8 y = vload8(0, b + i);
    int8 pairs;
    __asm__("vpmaddubsw %2, %1, %0" : "=x"(pairs) : "x"(x), "x"(y));
    int8 fours;
    __asm__("vpmaddwd %2, %1, %0" : "=x"(fours) : "x"(pairs), "x"((int8)0x00010001));
    vstore8(convert_float8(vload8(0, c + i) + fours), 0, out + i);
}
