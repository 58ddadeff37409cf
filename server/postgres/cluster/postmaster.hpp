#pragma once

#include <filesystem>

#include <sys/types.h>

namespace plimsoll::postgres {

// The process id in a cluster's postmaster.pid; 0 if there is no such file.
pid_t named_postmaster(const std::filesystem::path& cluster);

// Whether that process is running and is PostgreSQL. A killed one may remain a zombie, which still
// accepts signals, if nothing reaps it, as in a container without an init. The process id may also
// have been reused, for example after a reboot.
bool is_postmaster_running(const std::filesystem::path& cluster);

}  // namespace plimsoll::postgres
