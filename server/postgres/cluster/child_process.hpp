#pragma once

#include "engine/base/result.hpp"

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace plimsoll::postgres {

// A user of the operating system that a program is to run as, with its groups.
struct RunAs {
    uid_t user;
    gid_t group;
    std::vector<gid_t> groups;
    std::string home;
};

// A user by name; nothing when there is none.
std::optional<RunAs> find_os_user(const std::string& name);

struct Finished {
    int status;          // exit status; 128 + signal when it was killed
    std::string output;  // standard output and standard error together, at most 64 KiB
};

// Runs a program to its end, in "/", with a clean environment, file mode 0077 and no descriptor but
// the standard ones. `as` drops root's rights first. Blocks. Errc::unavailable when the program
// cannot be started.
Result<Finished> run_program(const std::vector<std::string>& command,
                             const std::optional<RunAs>& as);

}  // namespace plimsoll::postgres
