#include "engine/opencl/devices/processor.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace plimsoll::opencl {

#if defined(__x86_64__)

bool processor_has(Instructions instructions) {
    // Subleaf of CPUID's leaf 7, register (eax, ebx, ecx, edx) and bit, by Instructions.
    constexpr unsigned kPlaces[][3] = {{0, 1, 5}, {0, 1, 16}, {1, 0, 5}, {0, 2, 11}, {0, 3, 22}};
    const auto& [subleaf, at, bit] = kPlaces[static_cast<std::size_t>(instructions)];
    unsigned found[4] = {};  // zeros remain where the subleaf does not exist
    __get_cpuid_count(7, subleaf, &found[0], &found[1], &found[2], &found[3]);
    return (found[at] >> bit & 1) != 0;
}

void request_amx_tiles() {
    constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
    constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
    if (processor_has(Instructions::amx_bf16))
        syscall(SYS_arch_prctl, kRequestPermission, kTileData);
}

#else

bool processor_has(Instructions) { return false; }

void request_amx_tiles() {}

#endif

void pin_driver_threads() { setenv("POCL_AFFINITY", "1", 0); }

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
    if (processor_has(Instructions::avx512)) return "AVX512";
    return processor_has(Instructions::avx2) ? "AVX2" : "";
}

// https://developer.nvidia.com/cuda-gpus
std::string_view nvidia_generation(unsigned major, unsigned minor) {
    switch (major) {
        case 3: return "Kepler";
        case 5: return "Maxwell";
        case 6: return "Pascal";
        case 7: return minor >= 5 ? "Turing" : "Volta";
        case 8: return minor == 9 ? "Ada" : "Ampere";
        case 9: return "Hopper";
        case 10:
        case 11:
        case 12: return "Blackwell";
        default: return {};
    }
}

std::string_view amd_generation(std::string_view name) {
    for (const auto& generation : kAmd)
        if (name.starts_with(generation.prefix)) return generation.name;
    return {};
}

}  // namespace plimsoll::opencl
