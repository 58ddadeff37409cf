#pragma once

#include "engine/base/result.hpp"
#include "server/base/programs/spawn.hpp"

namespace plimsoll {

struct Finished {
    int status = 0;      // exit status; 128 + signal number if killed
    std::string output;  // at most 1 MiB
};

// Runs a program to its end and collects what it writes to its standard output; with {1, 2} among
// the redirections, errors as well. Blocks. Errc::unavailable: it cannot be started.
Result<Finished> run_program(ChildCommand command);

}  // namespace plimsoll
