// Widens stored halves to floats. vload_half is core OpenCL C: it needs no cl_khr_fp16.
__kernel void self_test_half_load(__global const half* in, __global float* out) {
    const size_t i = get_global_id(0);
    out[i] = vload_half(i, in);
}
