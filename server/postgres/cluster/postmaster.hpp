#pragma once

#include <filesystem>

#include <sys/types.h>

namespace plimsoll::postgres {

// The process that a cluster's postmaster.pid names; 0 when there is no such file.
pid_t named_postmaster(const std::filesystem::path& cluster);

// Whether that process runs and is a PostgreSQL. A killed one stays in the table of processes, and
// takes signals, until its parent has asked how it ended, which in a container without an init
// nobody does; it holds no files and no memory any more. The number may also have gone to another
// program since, as after a restart of the machine.
bool is_postmaster_running(const std::filesystem::path& cluster);

}  // namespace plimsoll::postgres
