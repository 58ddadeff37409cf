// The best scores of a lane (a direction of a series) are the highest of its items'. One work-item a
// lane and pattern; `first_items`: the first item of each lane, and behind the last one their number.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void waves_best(__global const double* of_items, __global const int* first_items,
                         uint lanes, uint patterns, __global double* of_lanes) {
    const uint id = get_global_id(0);
    if (id >= lanes * patterns) return;
    const uint lane = id / patterns;
    double best = -1;
    for (int item = first_items[lane]; item < first_items[lane + 1]; ++item) {
        const double it = of_items[(size_t)item * patterns + id % patterns];
        best = best < it ? it : best;
    }
    of_lanes[id] = best;
}
