// Hides AVX-512 from LLVM, so that PoCL compiles kernels as on a processor that ends at AVX2: PoCL
// 3.1 has no setting that does. Loaded before a program (LD_PRELOAD). For PoCL with LLVM 15, whose
// llvm::StringMap<bool> it reads as it lies in memory.
#include <cstdint>
#include <cstring>

#include <dlfcn.h>

namespace {

constexpr auto kName = "_ZN4llvm3sys18getHostCPUFeaturesERNS_9StringMapIbNS_15MallocAllocatorEEE";

// Its name follows it.
struct Feature {
    std::size_t length;
    bool present;
};

struct Features {
    Feature** buckets;
    unsigned size;
};

bool is_feature(const Feature* bucket) {
    constexpr auto kErased = ~std::uintptr_t{0} << 3U;
    return bucket != nullptr && reinterpret_cast<std::uintptr_t>(bucket) != kErased;
}

}  // namespace

extern "C" bool features_up_to_avx2(Features& found) asm(
    "_ZN4llvm3sys18getHostCPUFeaturesERNS_9StringMapIbNS_15MallocAllocatorEEE");

extern "C" bool features_up_to_avx2(Features& found) {
    using Find = bool (*)(Features&);
    static const auto find =
        reinterpret_cast<Find>(dlsym(dlopen("libLLVM-15.so.1", RTLD_LAZY), kName));
    if (find == nullptr || !find(found)) return false;
    for (unsigned place = 0; place < found.size; ++place) {
        auto* feature = found.buckets[place];
        if (!is_feature(feature)) continue;
        const auto* name = reinterpret_cast<const char*>(feature + 1);
        if (feature->length >= 6 && std::memcmp(name, "avx512", 6) == 0) feature->present = false;
    }
    return true;
}
