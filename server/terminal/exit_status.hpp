#pragma once

#include "engine/base/result.hpp"

#include <string>

namespace plimsoll::terminal {

// How every command ends; kExitStatusText is the same for people.
enum class ExitStatus {
    done = 0,
    failed = 1,       // the job failed, none of its items succeeded, or the check failed
    usage = 2,        // unknown or contradicting flags, input that was refused
    credentials = 3,  // not signed in, or not allowed
    unavailable = 4,  // no server, no database, or too busy
    partly = 5,       // some items of the job failed, some settings were not applied
    cancelled = 6,    // the job was cancelled
    bug = 70,
};

inline constexpr const char* kExitStatusText =
    "Exit status:\n"
    "  0  done\n"
    "  1  the job failed, none of its items succeeded, or the check failed\n"
    "  2  invalid usage or input\n"
    "  3  not signed in, or not allowed\n"
    "  4  the server does not answer, or is busy\n"
    "  5  partly done: some items failed, or some settings were not applied\n"
    "  6  the job was cancelled\n"
    "  70 a bug of plimsoll";

ExitStatus exit_status_of(Errc code);

}  // namespace plimsoll::terminal
