#pragma once

#include "engine/base/result.hpp"

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace plimsoll::postgres {

// An operating-system user, with its groups, to run a program as.
struct RunAs {
    uid_t user;
    gid_t group;
    std::vector<gid_t> groups;
    std::string home;
};

// Looks up a user by name; nullopt if there is none.
std::optional<RunAs> find_os_user(const std::string& name);

struct Finished {
    int status;          // exit status; 128 + signal number if killed
    std::string output;  // standard output and error combined, at most 64 KiB
};

// Runs a program to completion in "/", with a clean environment, umask 0077 and only the standard
// descriptors. `as`: drop root privileges first. Blocks. Errc::unavailable: the program cannot be
// started.
Result<Finished> run_program(const std::vector<std::string>& command,
                             const std::optional<RunAs>& as);

}  // namespace plimsoll::postgres
