#include "server/worker/supervisor_process.hpp"

#include "server/base/log.hpp"
#include "server/worker/supervisor.hpp"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

namespace plimsoll::worker {

namespace asio = boost::asio;

int run_supervisor_process() {
    asio::io_context io{1};
    SteadyTimer timer;
    Supervisor supervisor(
        io.get_executor(),
        [&](const std::vector<std::string>& arguments, int pipe_fd) {
            return start_child(io.get_executor(), arguments, pipe_fd);
        },
        timer, system_random());

    asio::signal_set signals(io, SIGTERM, SIGINT);
    std::function<void()> listen = [&] {
        signals.async_wait([&](const boost::system::error_code& error, int signal) {
            if (error) return;
            log::info("stopping", {{"signal", std::to_string(signal)}});
            supervisor.stop();
            listen();
        });
    };
    listen();
    int status = EXIT_SUCCESS;
    asio::co_spawn(io, supervisor.run(), [&](const std::exception_ptr& thrown) {
        if (thrown) status = EXIT_FAILURE;
        io.stop();
    });
    io.run();
    return status;
}

}  // namespace plimsoll::worker
