#include "server/base/return_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>

#include <malloc.h>

// Of tcmalloc, for programs that are linked with it.
extern "C" {
[[gnu::weak]] void MallocExtension_ReleaseFreeMemory();
[[gnu::weak]] int MallocExtension_SetNumericProperty(const char* property, std::size_t value);
}

namespace plimsoll {

void return_freed_memory() {
    static std::atomic_flag working;
    if (working.test_and_set()) return;
    if (MallocExtension_ReleaseFreeMemory != nullptr)
        MallocExtension_ReleaseFreeMemory();
    else
        malloc_trim(0);
    working.clear();
}

void bound_memory_of_threads() {
    if (MallocExtension_SetNumericProperty == nullptr) return;
    const std::size_t megabytes = std::clamp(2 * std::thread::hardware_concurrency(), 8u, 32u);
    MallocExtension_SetNumericProperty("tcmalloc.max_total_thread_cache_bytes", megabytes << 20);
}

}  // namespace plimsoll
