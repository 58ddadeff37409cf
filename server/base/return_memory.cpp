#include "server/base/return_memory.hpp"

#include <cstddef>

#include <malloc.h>

// Of tcmalloc, for programs that are linked with it.
extern "C" [[gnu::weak]] int MallocExtension_SetNumericProperty(const char* property,
                                                                std::size_t value);

namespace plimsoll {

void return_memory_when_freed() {
    if (MallocExtension_SetNumericProperty != nullptr) {
        MallocExtension_SetNumericProperty("tcmalloc.aggressive_memory_decommit", 1);
        return;
    }
    // glibc returns blocks above this; left to itself, it keeps those of the largest size freed.
    constexpr int kLargeBytes = 256 * 1024;
    mallopt(M_MMAP_THRESHOLD, kLargeBytes);
}

}  // namespace plimsoll
