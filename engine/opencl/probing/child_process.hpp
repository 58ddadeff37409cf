#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace plimsoll::opencl {

// How a piece of work ended that ran in a process of its own.
struct ChildEnd {
    enum class Kind { finished, crashed, hung } kind = Kind::finished;
    std::string output;  // what the work returned, when finished
    std::string reason;  // "killed by SIGSEGV", "no answer within 20 s", when not
};

// Where what the work or a driver prints goes: to this process's standard error, or nowhere.
enum class ChildWords { shown, dropped };

// Runs `work` in a child process and kills it at the deadline. The child dies with this process,
// writes no core file, and its standard output goes to standard error (drivers print), or both go
// nowhere. Throws std::system_error when no child can be started. fork() copies only the calling
// thread: call it before the first OpenCL call and before threads that hold locks exist.
ChildEnd run_in_child(const std::function<std::string()>& work, std::chrono::milliseconds deadline,
                      ChildWords words = ChildWords::shown);

}  // namespace plimsoll::opencl
