#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/base/programs/spawn.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

namespace plimsoll {

// A program that runs beside this one and reports its progress line by line. For one thread.
class ChildProgram {
  public:
    using OnLine = std::function<void(std::string_view)>;

    ChildProgram() = default;
    ChildProgram(const ChildProgram&) = delete;
    ChildProgram& operator=(const ChildProgram&) = delete;
    ~ChildProgram();  // kills it

    // Runs it to its end and passes on each line of its output, the first kMaxLine bytes of it.
    // Returns its wait status. Errc::unavailable: it cannot be started.
    awaitable<Result<int>> run(ChildCommand command, const OnLine& on_line);
    // With this program's environment.
    awaitable<Result<int>> run(std::string path, std::vector<std::string> arguments,
                               const OnLine& on_line);
    // Sends SIGTERM; a second call sends SIGKILL.
    void stop();

    static constexpr std::size_t kMaxLine = 64 * 1024;

  private:
    pid_t child_ = 0;
    bool stopping_ = false;
};

struct Finished {
    int status = 0;      // exit status; 128 + signal number if killed
    std::string output;  // at most 1 MiB
};

// Runs a program to its end and collects what it writes to its standard output; with {1, 2} among
// the redirections, errors as well. Blocks. Errc::unavailable: it cannot be started.
Result<Finished> run_program(ChildCommand command);

}  // namespace plimsoll
