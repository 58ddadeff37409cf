#include "server/worker/supervisor/supervisor_process.hpp"

#include "server/base/log.hpp"
#include "server/worker/base/worker_info.hpp"
#include "server/worker/supervisor/supervisor.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace plimsoll::worker {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds kPlaceLook{1000};
constexpr std::chrono::milliseconds kIdleLook{1000};
// In a row: until then all devices have their workers, and what a lost one held is ready again.
constexpr int kIdleLooks = 15;

// Until no other supervisor of this machine works for the node and the database, or `stopped`.
awaitable<std::optional<SupervisorPlace>> wait_for_place(const std::string& database_url,
                                                         Timer& timer, const bool& stopped) {
    const auto node = node_name();
    bool told = false;
    while (!stopped) {
        if (auto place = SupervisorPlace::take(node, database_url)) co_return place;
        if (!told) {
            log::error(
                "another supervisor on this machine serves this node and database: waiting for it "
                "to stop; to run both, give each its own PLIMSOLL_NODE",
                {{"node", node}});
        }
        told = true;
        co_await timer.sleep_until(timer.now() + kPlaceLook);
    }
    co_return std::nullopt;
}

awaitable<void> stop_when_idle(IsIdle is_idle, Timer& timer, Supervisor& supervisor) {
    for (int idle = 0; idle < kIdleLooks;) {
        co_await timer.sleep_until(timer.now() + kIdleLook);
        const auto now = co_await is_idle(node_name());
        idle = now && *now ? idle + 1 : 0;
    }
    log::info("nothing left to do: stopping");
    supervisor.stop();
}

}  // namespace

// An abstract socket: a name that the kernel gives to one process of a network namespace and takes
// back with it. Nobody ever connects to it.
std::optional<SupervisorPlace> SupervisorPlace::take(const std::string& node,
                                                     const std::string& database_url) {
    // Fixed length, and without the URL's password: everybody can list such names.
    const auto key = std::hash<std::string>{}(node + '\n' + database_url);
    const auto name = "plimsoll-supervisor-" + std::to_string(key);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) throw std::runtime_error("cannot create a socket");
    SupervisorPlace place(socket);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), length) == 0) return place;
    if (errno != EADDRINUSE) throw std::runtime_error("cannot bind an abstract socket");
    return std::nullopt;
}

SupervisorPlace::SupervisorPlace(SupervisorPlace&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)) {}

SupervisorPlace& SupervisorPlace::operator=(SupervisorPlace&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
}

SupervisorPlace::~SupervisorPlace() {
    if (socket_ >= 0) ::close(socket_);
}

int run_supervisor_process(const ConnectQueue& connect, const SupervisorProcess& options) {
    asio::io_context io{1};
    SteadyTimer timer;
    std::shared_ptr<queue::WorkerStore> store;  // few supervisors have something to report
    Supervisor supervisor(
        io.get_executor(),
        [&](const std::vector<std::string>& arguments, int pipe_fd, const Redirections& more) {
            std::vector<std::string> all{"--cache", options.cache.string()};
            all.insert(all.end(), arguments.begin(), arguments.end());
            return start_child(io.get_executor(), all, pipe_fd, more);
        },
        [&](const opencl::Capability& device) -> awaitable<void> {
            if (!store) store = connect(io.get_executor());
            const auto told = co_await store->report_unusable(worker_info(device, {}));
            if (!told) log::warn("device not listed", {{"reason", told.error().message}});
        },
        timer, system_random());
    bool stopped = false;
    const auto supervise = [&]() -> awaitable<void> {
        const auto place = co_await wait_for_place(options.database_url, timer, stopped);
        if (!place) co_return;
        if (options.until_idle) {
            auto is_idle = options.until_idle(io.get_executor());
            asio::co_spawn(io, stop_when_idle(std::move(is_idle), timer, supervisor),
                           asio::detached);
        }
        co_await supervisor.run();
    };

    asio::signal_set signals(io, SIGTERM, SIGINT);
    std::function<void()> listen = [&] {
        signals.async_wait([&](const boost::system::error_code& error, int signal) {
            if (error) return;
            log::info("stopping", {{"signal", std::to_string(signal)}});
            stopped = true;
            supervisor.stop();
            listen();
        });
    };
    listen();
    int status = EXIT_SUCCESS;
    asio::co_spawn(io, supervise(), [&](const std::exception_ptr& thrown) {
        if (thrown) status = EXIT_FAILURE;
        io.stop();
    });
    io.run();
    return status;
}

}  // namespace plimsoll::worker
