#pragma once

namespace plimsoll {

// Returns freed memory to the system, which the allocator (tcmalloc or glibc) would keep for later:
// after a few large requests a server would hold many times what it uses. Takes milliseconds: call
// it on a pool. A call during another one does nothing.
void return_freed_memory();

}  // namespace plimsoll
