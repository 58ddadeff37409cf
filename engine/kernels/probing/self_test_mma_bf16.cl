// out (16 x 8) = A (16 rows of 8 pairs of bf16) B (8 pairs of 8 columns) by the first warp; the lanes hold
// what gemm_mma.cl says.
__kernel void self_test_mma_bf16(__global const uint* a, __global const uint* b, __global float* out) {
    const uint lane = get_global_id(0);
    if (lane >= 32) return;
    const uint group = lane / 4;
    const uint place = lane % 4;
    const uint a0 = a[group * 8 + place];
    const uint a1 = a[(group + 8) * 8 + place];
    const uint a2 = a[group * 8 + place + 4];
    const uint a3 = a[(group + 8) * 8 + place + 4];
    const uint b0 = b[place * 8 + group];
    const uint b1 = b[(place + 4) * 8 + group];
    float s[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    __asm__ volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    for (uint q = 0; q < 4; ++q) out[(group + q / 2 * 8) * 8 + 2 * place + q % 2] = s[q];
}
