// As many fused multiply-adds as a device can do while nothing leaves its registers: CHAINS of them do not
// wait for each other. The sums stay finite, and each item writes one, so that no compiler leaves them out.
__kernel void profile_fma(__global float* out, float factor, uint rounds) {
    float16 sums[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sums[c] = (float16)(c + (float)(get_global_id(0) & 7));
    for (uint i = 0; i < rounds; ++i) {
#pragma unroll
        for (int c = 0; c < CHAINS; ++c) sums[c] = fma(sums[c], (float16)factor, (float16)1.0f);
    }
    float16 all = sums[0];
#pragma unroll
    for (int c = 1; c < CHAINS; ++c) all += sums[c];
    const float8 half8 = all.lo + all.hi;
    const float4 quarter = half8.lo + half8.hi;
    out[get_global_id(0)] = quarter.x + quarter.y + quarter.z + quarter.w;
}
