#pragma once

namespace plimsoll::worker {

// The life of a supervisor process: runs workers until SIGTERM or SIGINT drains them; a second
// signal hurries them. Returns the exit status. The process must have one thread.
int run_supervisor_process();

}  // namespace plimsoll::worker
