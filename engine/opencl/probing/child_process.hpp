#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace plimsoll::opencl {

// How work in a child process ended.
struct ChildEnd {
    enum class Kind { finished, crashed, hung } kind = Kind::finished;
    std::string output;  // the work's return value, when finished
    std::string reason;  // otherwise: "killed by SIGSEGV", "no response within 20 s"
};

// Where output of the work or a driver goes: this process's standard error, or nowhere.
enum class ChildOutput { shown, dropped };

// Runs `work` in a child process and kills it at the deadline. The child dies with this process,
// writes no core file, and its standard output is redirected to standard error (drivers print) or
// discarded. Throws std::system_error when no child can be started. fork() copies only the calling
// thread: call this before the first OpenCL call and before any thread that may hold locks exists.
ChildEnd run_in_child(const std::function<std::string()>& work, std::chrono::milliseconds deadline,
                      ChildOutput printed = ChildOutput::shown);

}  // namespace plimsoll::opencl
