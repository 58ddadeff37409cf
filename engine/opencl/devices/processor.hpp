#pragma once

#include <string_view>

// What a device's processor can do, in one word: what people compare measurements by.
namespace plimsoll::opencl {

// What CPUID reports; false on anything but x86-64. The operating system or hypervisor may still
// forbid the instructions.
enum class Instructions {
    avx2,
    avx512,  // 32 registers of 512 bits
    avx512_bf16,
    avx512_vnni,
    amx_bf16,
};
bool processor_has(Instructions instructions);

// Requests permission to use the AMX tile registers from the kernel (Linux 5.16 and later). Call
// once per process, before a driver starts its threads, which inherit the permission. Without it a
// tile instruction kills the process.
void request_amx_tiles();

// Makes PoCL pin each of its threads to its own core. Linux wakes several threads on one core and
// migrates them milliseconds later, so short kernels used one of two cores. Call before a driver is
// loaded; an existing $POCL_AFFINITY is left unchanged.
void pin_driver_threads();

// Vectors of this machine's processor, by CPUID: "AVX512", "AVX2"; empty: neither.
std::string_view vectors_of_processor();

// "Hopper", by NVIDIA's compute capability; empty: unknown.
std::string_view nvidia_generation(unsigned major, unsigned minor);

// "CDNA3", by the name that AMD's drivers give a GPU ("gfx942:sramecc+"); empty: unknown.
std::string_view amd_generation(std::string_view name);

}  // namespace plimsoll::opencl
