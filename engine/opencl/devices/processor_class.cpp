#include "engine/opencl/devices/processor_class.hpp"

#include "engine/opencl/devices/processor.hpp"

#include <array>

namespace plimsoll::opencl {
namespace {

struct AmdGeneration {
    std::string_view prefix;
    std::string_view name;
};

// https://llvm.org/docs/AMDGPUUsage.html#processors
constexpr std::array kAmd{AmdGeneration{"gfx908", "CDNA"},  AmdGeneration{"gfx90a", "CDNA2"},
                          AmdGeneration{"gfx94", "CDNA3"},  AmdGeneration{"gfx950", "CDNA4"},
                          AmdGeneration{"gfx101", "RDNA"},  AmdGeneration{"gfx103", "RDNA2"},
                          AmdGeneration{"gfx110", "RDNA3"}, AmdGeneration{"gfx115", "RDNA3.5"},
                          AmdGeneration{"gfx120", "RDNA4"}};

}  // namespace

std::string_view vectors_of_processor() {
    if (processor_has_avx512()) return "AVX512";
    return processor_has_avx2() ? "AVX2" : "";
}

// https://developer.nvidia.com/cuda-gpus
std::string_view nvidia_generation(unsigned major, unsigned minor) {
    switch (major) {
        case 3:
            return "Kepler";
        case 5:
            return "Maxwell";
        case 6:
            return "Pascal";
        case 7:
            return minor >= 5 ? "Turing" : "Volta";
        case 8:
            return minor == 9 ? "Ada" : "Ampere";
        case 9:
            return "Hopper";
        case 10:
        case 11:
        case 12:
            return "Blackwell";
        default:
            return {};
    }
}

std::string_view amd_generation(std::string_view name) {
    for (const auto& generation : kAmd) {
        if (name.starts_with(generation.prefix)) return generation.name;
    }
    return {};
}

}  // namespace plimsoll::opencl
