// One fused multiply-add per item. A device that rounds between the multiplication and the addition
// is caught by inputs whose exact product cancels.
__kernel void self_test_fma(__global const float* a, __global const float* b,
                            __global const float* c, __global float* out) {
    const size_t i = get_global_id(0);
    out[i] = fma(a[i], b[i], c[i]);
}
