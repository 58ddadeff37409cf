// Partial sums of `count` numbers, one per work-group. `count` need not be a multiple of anything:
// the last group reads past nothing. Exercises local memory and barriers.
#define GROUP 64

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void self_test_sum(
    __global const float* in, const uint count, __global float* partial) {
    __local float lane[GROUP];
    const uint local_id = get_local_id(0);
    const uint i = get_global_id(0);
    lane[local_id] = i < count ? in[i] : 0.0f;
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (local_id < width) lane[local_id] += lane[local_id + width];
    }
    if (local_id == 0) partial[get_group_id(0)] = lane[0];
}
