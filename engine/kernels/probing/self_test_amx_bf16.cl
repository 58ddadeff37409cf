// out (16 x 16) = A (16 rows of 16 pairs of bf16) B (16 pairs of 16 columns): one product of tiles. The first
// work-item does it all.
__kernel void self_test_amx_bf16(__global const uint* a, __global const uint* b, __global float* out) {
    if (get_global_id(0) != 0) return;
    uchar settings[64] __attribute__((aligned(64)));
    for (uint i = 0; i < 64; ++i) settings[i] = 0;
    settings[0] = 1;  // palette 1: tiles of 16 rows of 64 bytes
    for (uint tile = 0; tile < 3; ++tile) {
        settings[16 + 2 * tile] = 64;
        settings[48 + tile] = 16;
    }
    __asm__ volatile(
        "ldtilecfg (%0)\n"
        "tilezero %%tmm0\n"
        "tileloadd (%1,%4,1), %%tmm1\n"
        "tileloadd (%2,%4,1), %%tmm2\n"
        "tdpbf16ps %%tmm2, %%tmm1, %%tmm0\n"
        "tilestored %%tmm0, (%3,%4,1)\n"
        "tilerelease" ::"r"(settings),
        "r"(a), "r"(b), "r"(out), "r"(64L)
        : "memory");
}
