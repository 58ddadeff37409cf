#pragma once

#include "engine/base/result.hpp"

namespace plimsoll::terminal {

// The exit statuses of all commands; kExitStatusText describes them for people.
enum class ExitStatus {
    done = 0,
    failed = 1,       // the job failed, none of its items succeeded, or the check failed
    usage = 2,        // unknown or contradictory flags, refused input
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
    "  4  the server does not respond, or is busy\n"
    "  5  partly done: some items failed, or some settings were not applied\n"
    "  6  the job was cancelled\n"
    "  70 internal error: a bug in plimsoll";

ExitStatus exit_status_of(Errc code);

}  // namespace plimsoll::terminal
