#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace plimsoll {

// A program to run as a child of this one.
struct ChildCommand {
    std::string path;
    std::vector<std::string> arguments;
    std::vector<std::string> environment;  // "NAME=value"
    int input = -1;   // descriptor of its standard input; -1: that of this program
    int output = -1;  // descriptor of its standard output and error; -1: those of this program
};

// This program's environment.
std::vector<std::string> own_environment();

// Starts it in a process group of its own, with no other descriptors of this program. It gets
// SIGTERM when the calling thread ends. -1 with errno if it cannot be started; a path that cannot
// be run ends with status 127.
pid_t spawn(ChildCommand command);

// "exit status 1", "killed by Terminated": how a child ended, by its wait status.
std::string describe_end(int status);

}  // namespace plimsoll
