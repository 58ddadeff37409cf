#pragma once

namespace plimsoll::opencl {

// What CPUID reports; false on anything but x86-64. The operating system or hypervisor may still
// forbid the instructions.
bool processor_has_avx2();
bool processor_has_avx512();  // 32 registers of 512 bits
bool processor_has_avx512_bf16();
bool processor_has_avx512_vnni();
bool processor_has_amx_bf16();

// Requests permission to use the AMX tile registers from the kernel (Linux 5.16 and later). Call
// once per process, before a driver starts its threads, which inherit the permission. Without it a
// tile instruction kills the process.
void request_amx_tiles();

// Makes PoCL pin each of its threads to its own core. Linux wakes several threads on one core and
// migrates them milliseconds later, so short kernels used one of two cores. Call before a driver is
// loaded; an existing $POCL_AFFINITY is left unchanged.
void pin_driver_threads();

}  // namespace plimsoll::opencl
