#pragma once

namespace plimsoll {

// Returns freed memory to the system, which the allocator (tcmalloc or glibc) would keep for later:
// after a few large requests a server would hold many times what it uses. Takes milliseconds: call
// it on a pool. A call during another one does nothing.
void return_freed_memory();

// Bounds what all threads together keep of freed memory (with tcmalloc) to 2 MiB a processor, 8 MiB
// at least. Its own bound, 32 MiB, is reached after hours of light work, which looks like a leak.
// Call it before threads work.
void bound_memory_of_threads();

}  // namespace plimsoll
