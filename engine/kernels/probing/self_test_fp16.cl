// Half arithmetic. NVIDIA's drivers take the pragma without naming the extension: only trying tells.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void self_test_fp16(__global const float* a, __global const float* b, __global const float* c,
                             __global float* out) {
    const size_t i = get_global_id(0);
    const half product = (half)a[i] * (half)b[i];
    out[i] = (float)(product + (half)c[i]);
}
