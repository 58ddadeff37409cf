#pragma once

namespace plimsoll {

// Returns memory that was freed to the system, which the allocator (tcmalloc or glibc) would keep
// for later: after a few large requests a server would hold many times what it uses. Takes
// milliseconds, so for a pool. A call while another one works does nothing.
void return_freed_memory();

}  // namespace plimsoll
