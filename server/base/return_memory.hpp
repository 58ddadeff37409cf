#pragma once

namespace plimsoll {

// From now on, memory is returned to the system as soon as whole pages of it are free, instead of
// being kept for later: after a few large requests a server would hold many times what it uses. To
// be called at the start, before threads.
void return_memory_when_freed();

}  // namespace plimsoll
