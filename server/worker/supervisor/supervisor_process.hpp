#pragma once

#include "server/worker/loop/worker_process.hpp"

#include <filesystem>
#include <string>

namespace plimsoll::worker {

// Runs a supervisor process: waits until it is the only one on this machine for its node and
// database, then runs workers until SIGTERM or SIGINT drains them; a second signal forces them to
// exit. `cache`: the workers' directory of built kernels and tuned plans. Returns the exit status.
// The process must be single-threaded.
int run_supervisor_process(const ConnectQueue& connect, const std::string& database_url,
                           const std::filesystem::path& cache);

}  // namespace plimsoll::worker
