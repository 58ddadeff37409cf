#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/base/programs/spawn.hpp"

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

namespace plimsoll::worker {

// A child process with a pipe that it writes to.
class Child {
  public:
    virtual ~Child() = default;  // kills it if still running

    // Waits for the process to exit: "" for status 0, otherwise a description such as "exit status
    // 1" or "killed by SIGSEGV". May be cancelled and called again.
    virtual awaitable<std::string> ended() = 0;

    // Waits until there is data to read; never returns after the process closed the pipe and
    // everything was read. May be cancelled without losing data.
    virtual awaitable<void> wrote() = 0;

    // Reads all available data without waiting. After ended() returned, that is everything the
    // process wrote.
    virtual std::string read() = 0;

    virtual void signal(int number) = 0;
};

using Redirections = std::vector<ChildCommand::Redirection>;

// Starts this program again with other arguments. `pipe_fd`: the child's descriptor for the write
// end of its pipe; `more`: what else it gets. It inherits the environment; see spawn().
Result<std::unique_ptr<Child>> start_child(const boost::asio::any_io_executor& executor,
                                           const std::vector<std::string>& arguments, int pipe_fd,
                                           const Redirections& more);

}  // namespace plimsoll::worker
