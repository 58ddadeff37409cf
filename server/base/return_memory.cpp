#include "server/base/return_memory.hpp"

#include <atomic>

#include <malloc.h>

// Of tcmalloc, for programs that are linked with it.
extern "C" [[gnu::weak]] void MallocExtension_ReleaseFreeMemory();

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

}  // namespace plimsoll
