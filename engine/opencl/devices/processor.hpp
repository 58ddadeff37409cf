#pragma once

namespace plimsoll::opencl {

// What the processor says of itself; false on other processors than x86-64. Saying is not allowing:
// an operating system or a hypervisor may keep the instructions from us.
bool processor_has_avx512_bf16();
bool processor_has_amx_bf16();

// Asks the kernel (Linux 5.16 and later) for the tile registers, once per process and before a
// driver starts its threads, which inherit the permission. Without it a tile instruction ends the
// process.
void ask_for_tiles();

// Has PoCL keep each of its threads on a core of its own. Linux wakes several at once on the core
// where they were woken and moves them apart milliseconds later: short kernels then ran on half of
// two cores. Before a driver is loaded; where somebody has set $POCL_AFFINITY, that holds.
void keep_driver_threads_apart();

}  // namespace plimsoll::opencl
