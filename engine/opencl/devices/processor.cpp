#include "engine/opencl/devices/processor.hpp"

#include <cstdlib>

#if defined(__x86_64__)
#include <array>

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace plimsoll::opencl {

#if defined(__x86_64__)

namespace {

// Leaf 7 of CPUID: {eax, ebx, ecx, edx} of a subleaf; zeros when it does not exist.
std::array<unsigned, 4> extended_features(unsigned subleaf) {
    std::array<unsigned, 4> r{};
    __get_cpuid_count(7, subleaf, &r[0], &r[1], &r[2], &r[3]);
    return r;
}

}  // namespace

bool processor_has_avx2() {
    return (extended_features(0)[1] >> 5 & 1) != 0;
}

bool processor_has_avx512() {
    return (extended_features(0)[1] >> 16 & 1) != 0;
}

bool processor_has_avx512_bf16() {
    return (extended_features(1)[0] >> 5 & 1) != 0;
}

bool processor_has_avx512_vnni() {
    return (extended_features(0)[2] >> 11 & 1) != 0;
}

bool processor_has_amx_bf16() {
    return (extended_features(0)[3] >> 22 & 1) != 0;
}

void request_amx_tiles() {
    constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
    constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
    if (processor_has_amx_bf16()) syscall(SYS_arch_prctl, kRequestPermission, kTileData);
}

#else

bool processor_has_avx2() {
    return false;
}

bool processor_has_avx512() {
    return false;
}

bool processor_has_avx512_vnni() {
    return false;
}

bool processor_has_avx512_bf16() {
    return false;
}

bool processor_has_amx_bf16() {
    return false;
}

void request_amx_tiles() {}

#endif

void pin_driver_threads() {
    setenv("POCL_AFFINITY", "1", 0);
}

}  // namespace plimsoll::opencl
