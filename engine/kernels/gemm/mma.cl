// The tensor cores of NVIDIA's GPUs from compute capability 8 on, by inline PTX: m16n8k16 in bf16 with sums in fp32.
//
// Which lane of a warp holds what ("Matrix fragments for mma.m16n8k16" of the PTX manual), with group = lane / 4 and
// place = lane % 4: of A the rows group and group + 8, pairs place and place + 4; of B pairs place and place + 4 of
// column group; of the sums the rows group (x, y) and group + 8 (z, w), columns 2 * place and the next.

// s += A B
#define ADD_MMA(s, a, b0, b1)                                                                     \
    __asm__ volatile(                                                                             \
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
        : "+f"((s).x), "+f"((s).y), "+f"((s).z), "+f"((s).w)                                      \
        : "r"((a).x), "r"((a).y), "r"((a).z), "r"((a).w), "r"(b0), "r"(b1))

inline uint local_address(__local void* p) {
    return (uint)(size_t)p;
}

// Copies 16 bytes, or zeros when `bytes` is 0, without waiting.
inline void start_copy(uint to, __global const void* from, uint bytes) {
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
#define CLOSE_COPIES __asm__ volatile("cp.async.commit_group;" ::: "memory")
// Until at most `open` closed groups of this work-item's copies are not there yet.
#define AWAIT_COPIES(open) __asm__ volatile("cp.async.wait_group %0;" ::"n"(open) : "memory")

// Four matrices of 8 rows of 16 bytes: lane i gives the address of row i % 8 of matrix i / 8.
inline uint4 load_matrices(uint from) {
    uint4 to;
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w)
                     : "r"(from)
                     : "memory");
    return to;
}
inline uint4 load_transposed(uint from) {
    uint4 to;
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w)
                     : "r"(from)
                     : "memory");
    return to;
}

// `value` of the lane whose number differs in the bits of `mask`.
inline uint value_of_lane(uint value, uint mask) {
    uint other;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(other) : "r"(value), "r"(mask));
    return other;
}

// Two numbers rounded to bf16.
inline uint bf16_pair(float first, float second) {
    uint pair;
    __asm__("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}

// Of one row, the pairs of this lane in two tiles of 8 columns each, the second next to the first: lanes exchange them,
// so that each writes 8 bytes. `to`: the row's first number in the first tile. Called by all lanes of a warp.
inline void store_pairs(uint first, uint second, __global ushort* to, bool inside) {
    const uint place = get_local_id(0) % 4;
    const bool odd = place % 2;
    const uint other = value_of_lane(odd ? first : second, 1);
    const uint2 mine = odd ? (uint2)(other, second) : (uint2)(first, other);
    if (inside) *(__global uint2*)(to + (odd ? 8 + 2 * (place - 1) : 2 * place)) = mine;
}
