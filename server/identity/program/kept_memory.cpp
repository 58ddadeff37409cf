// libsodium maps 19 MiB for every hash, filled by the kernel (MAP_POPULATE), and unmaps them:
// milliseconds in which nobody else gets that processor. This program keeps them for the next hash:
// its own mmap and munmap replace those of the C library. Single-threaded.
#include <cstddef>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

struct Kept {
    void* memory = nullptr;
    std::size_t size = 0;
    bool in_use = false;
};
Kept kept;

}  // namespace

extern "C" void* mmap(void* at, std::size_t size, int protection, int flags, int file,
                      off_t offset) noexcept {
    const bool of_hash = file == -1 && (flags & MAP_POPULATE) != 0;
    if (of_hash && !kept.in_use && kept.size == size) {
        kept.in_use = true;
        return kept.memory;
    }
    const auto address = syscall(SYS_mmap, at, size, protection, flags, file, offset);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): as the system call returns it
    auto* memory = reinterpret_cast<void*>(address);
    if (of_hash && kept.memory == nullptr && memory != MAP_FAILED) kept = {memory, size, true};
    return memory;
}

extern "C" int munmap(void* memory, std::size_t size) noexcept {
    if (kept.in_use && memory == kept.memory) {
        kept.in_use = false;
        return 0;
    }
    return static_cast<int>(syscall(SYS_munmap, memory, size));
}
