#pragma once

#include <string_view>

// What a device's processor can do, in one word: what people compare measurements by.
namespace plimsoll::opencl {

// Vectors of this machine's processor, by CPUID: "AVX512", "AVX2"; empty: neither.
std::string_view vectors_of_processor();

// "Hopper", by NVIDIA's compute capability; empty: unknown.
std::string_view nvidia_generation(unsigned major, unsigned minor);

// "CDNA3", by the name that AMD's drivers give a GPU ("gfx942:sramecc+"); empty: unknown.
std::string_view amd_generation(std::string_view name);

}  // namespace plimsoll::opencl
