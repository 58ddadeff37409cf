#pragma once

#include "server/app/settings.hpp"
#include "server/base/awaitable.hpp"

#include <chrono>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/types.h>

namespace plimsoll::app {

// Exports the settings that workers need to this process's environment, which they inherit.
void export_worker_env(const Settings& settings);

// Runs `plimsoll-engine supervise` as a child process: restarts it with growing pauses if it exits,
// and drains it on stop(). The database URL is passed in the environment, because any user on the
// machine can read a process's arguments.
class EngineProcess {
  public:
    EngineProcess(boost::asio::any_io_executor executor, std::string program,
                  std::string worker_url);
    ~EngineProcess();

    // Runs until stop() was called and the child has exited.
    awaitable<void> run();
    // Sends SIGTERM; a second call sends SIGKILL.
    void stop();

  private:
    void start();
    awaitable<void> wait_for_end();

    std::string program_;
    std::string worker_url_;
    boost::asio::signal_set child_ended_;
    boost::asio::steady_timer pause_;
    pid_t child_ = 0;
    bool stopping_ = false;
};

}  // namespace plimsoll::app
