#pragma once

#include "engine/base/result.hpp"

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace plimsoll::worker {

// A process that a supervisor has started, with a pipe that the process writes to.
class Child {
  public:
    virtual ~Child() = default;  // kills it when it is still there

    // Returns when the process has ended: "" for exit status 0, otherwise how it ended, such as
    // "exit status 1" or "killed by SIGSEGV". May be cancelled and called again.
    virtual boost::asio::awaitable<std::string> ended() = 0;

    // Returns when there is something to read; never, once the process has closed the pipe and all
    // is read. May be cancelled: nothing is lost when something else happens at the same moment.
    virtual boost::asio::awaitable<void> wrote() = 0;

    // What the process wrote and was not read yet, without waiting. Once ended() has returned, that
    // is all it will ever have written.
    virtual std::string read() = 0;

    virtual void signal(int number) = 0;
};

// Starts this very program again with other arguments. `pipe_fd` is where the child finds the
// writing end of its pipe. The child is in a process group of its own, so that Ctrl-C reaches the
// supervisor alone; it inherits the environment and gets SIGTERM when the supervisor dies. The
// supervisor must have one thread only.
Result<std::unique_ptr<Child>> start_child(const boost::asio::any_io_executor& executor,
                                           const std::vector<std::string>& arguments, int pipe_fd);

}  // namespace plimsoll::worker
