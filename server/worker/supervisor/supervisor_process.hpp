#pragma once

#include "server/worker/loop/worker_process.hpp"

#include <filesystem>
#include <string>

namespace plimsoll::worker {

// The life of a supervisor process: runs workers until SIGTERM or SIGINT drains them; a second
// signal hurries them. Before that it waits until it is the only one on this machine for its node
// and database. `cache`: the workers' folder for what they build and tune. Returns the exit status.
// The process must have one thread.
int run_supervisor_process(const ConnectQueue& connect, const std::string& database_url,
                           const std::filesystem::path& cache);

}  // namespace plimsoll::worker
