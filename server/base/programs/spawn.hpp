#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace plimsoll {

// An operating-system user, with its groups, to run a program as.
struct RunAs {
    uid_t user;
    gid_t group;
    std::vector<gid_t> groups;
    std::string home;
};

// A program to run as a child of this one.
struct ChildCommand {
    // `to`: a descriptor of the child; `from`: what it is a copy of.
    struct Redirection {
        int from;
        int to;
    };
    static constexpr int kNothing = -1;  // as `from`: /dev/null

    std::string path;
    std::vector<std::string> arguments;
    std::vector<std::string> environment;  // "NAME=value"
    // In this order. Without any, the child has the standard descriptors of this program.
    std::vector<Redirection> redirections = {};
    std::optional<RunAs> as = {};      // drops root privileges
    std::string folder = {};           // where it runs; empty: where this program does
    std::optional<mode_t> umask = {};  // none: that of this program
    int death_signal = SIGTERM;        // gets it when the calling thread ends
    std::string name = {};             // its own name in lists of processes; empty: the path
    // Above 0, by how much it and its children together give way to other programs, in a session of
    // its own: Linux compares sessions first where services have no weights.
    int niceness = 0;
    // Of memory of its own, in bytes; 0: no limit. With one, it is also the first to be ended where
    // the machine has too little.
    std::uint64_t memory_limit = 0;
};

// This program's environment.
std::vector<std::string> current_environment();

// Starts it in a process group of its own, with no other descriptors of this program and no blocked
// signals. -1 with errno if it cannot be started; one that cannot be run ends with status
// kCannotRun.
pid_t spawn(ChildCommand command);
constexpr int kCannotRun = 127;

// "exit status 1", "killed by SIGTERM": how a child ended, by its wait status.
std::string describe_end(int status);

// The path of a program in the folder of this one.
inline std::string sibling_program(const std::string& name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace plimsoll
