#include "server/worker/supervisor/child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll::worker {

namespace asio = boost::asio;

namespace {

class Process final : public Child {
  public:
    Process(const asio::any_io_executor& executor, pid_t pid, int pidfd, int pipe)
        : pid_(pid), process_(executor, pidfd), pipe_(executor, pipe) {}

    ~Process() override {
        if (pid_ <= 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }

    awaitable<std::string> ended() override {
        while (pid_ > 0) {
            const auto [error] = co_await process_.async_wait(
                asio::posix::stream_descriptor::wait_read, asio::as_tuple(asio::use_awaitable));
            if (!error && waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = 0;
        }
        co_return status_ == 0 ? std::string() : describe_end(status_);
    }

    awaitable<void> wrote() override {
        while (!is_closed()) {
            const auto [error] = co_await pipe_.async_wait(
                asio::posix::stream_descriptor::wait_read, asio::as_tuple(asio::use_awaitable));
            if (error) break;
            // Asio may also wake for what has been read by now.
            if (readable() > 0) co_return;
        }
        asio::steady_timer never(pipe_.get_executor(), asio::steady_timer::time_point::max());
        co_await never.async_wait(asio::use_awaitable);
    }

    std::string read() override {
        std::string text;
        std::array<char, 4096> chunk;
        boost::system::error_code error;
        while (readable() > 0) {
            const auto bytes = pipe_.read_some(asio::buffer(chunk), error);
            if (error) break;
            text.append(chunk.data(), bytes);
        }
        return text;
    }

    void signal(int number) override {
        if (pid_ > 0) kill(pid_, number);
    }

  private:
    // And everything was read.
    bool is_closed() {
        pollfd pipe{pipe_.native_handle(), POLLIN, 0};
        return poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLIN) == 0;
    }

    std::size_t readable() {
        asio::posix::stream_descriptor::bytes_readable bytes;
        boost::system::error_code error;
        pipe_.io_control(bytes, error);
        return error ? 0 : bytes.get();
    }

    pid_t pid_;  // 0 once it was waited for: the number may then belong to another process
    int status_ = 0;
    asio::posix::stream_descriptor process_;
    asio::posix::stream_descriptor pipe_;
};

Error os_error(const char* call) {
    return {Errc::unavailable,
            std::string(call) + " failed: " + std::generic_category().message(errno) + ".",
            {}};
}

}  // namespace

Result<std::unique_ptr<Child>> start_child(const asio::any_io_executor& executor,
                                           const std::vector<std::string>& arguments, int pipe_fd,
                                           const Redirections& more) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail(os_error("pipe2"));
    Redirections redirections{{ChildCommand::kNothing, STDIN_FILENO}, {ends[1], pipe_fd}};
    redirections.insert(redirections.end(), more.begin(), more.end());
    const pid_t pid = spawn({.path = "/proc/self/exe",
                             .arguments = arguments,
                             .environment = current_environment(),
                             .redirections = std::move(redirections),
                             .name = "plimsoll-engine"});
    close(ends[1]);
    if (pid < 0) {
        const auto error = os_error("fork");
        close(ends[0]);
        return fail(error);
    }
    // By number: glibc 2.36 declares pidfd_open for C only.
    const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    if (pidfd < 0) {
        const auto error = os_error("pidfd_open");
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
        close(ends[0]);
        return fail(error);
    }
    return std::make_unique<Process>(executor, pid, pidfd, ends[0]);
}

}  // namespace plimsoll::worker
