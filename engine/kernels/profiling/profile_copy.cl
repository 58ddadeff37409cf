// out = in, VECTORS of four numbers an item; RUN of them lie behind each other, so that an item of a processor
// walks through memory and neighbours of a GPU read neighbours.
__kernel void profile_copy(__global const float4* in, __global float4* out) {
    const size_t first = get_global_id(0) / RUN * RUN * VECTORS + get_global_id(0) % RUN;
    for (uint i = 0; i < VECTORS; ++i) out[first + i * RUN] = in[first + i * RUN];
}
