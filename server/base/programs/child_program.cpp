#include "server/base/programs/child_program.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll {
namespace {

namespace asio = boost::asio;

// Assembles an output that arrives in pieces into lines.
class Lines {
  public:
    explicit Lines(const ChildProgram::OnLine& on_line) : on_line_(on_line) {}

    void add(std::string_view piece) {
        while (!piece.empty()) {
            const auto end = piece.find('\n');
            const auto part = piece.substr(0, end);
            line_.append(part.substr(0, ChildProgram::kMaxLine - line_.size()));
            if (end == std::string_view::npos) return;
            finish();
            piece.remove_prefix(end + 1);
        }
    }
    void finish() {
        if (!line_.empty()) on_line_(line_);
        line_.clear();
    }

  private:
    const ChildProgram::OnLine& on_line_;
    std::string line_;
};

tl::unexpected<Error> cannot_start(const std::string& path) {
    return fail(Errc::unavailable, path + " cannot be started: " + std::strerror(errno) + ".");
}

constexpr std::size_t kOutputLimit = 1024 * 1024;

std::string read_all(int descriptor) {
    std::string output;
    std::array<char, 4096> buffer{};
    ssize_t count;
    while ((count = read(descriptor, buffer.data(), buffer.size())) != 0) {
        if (count < 0 && errno != EINTR) break;
        if (count > 0 && output.size() < kOutputLimit)
            output.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return output;
}

}  // namespace

ChildProgram::~ChildProgram() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
}

awaitable<Result<int>> ChildProgram::run(std::string path, std::vector<std::string> arguments,
                                         const OnLine& on_line) {
    ChildCommand command{.path = std::move(path),
                         .arguments = std::move(arguments),
                         .environment = current_environment()};
    co_return co_await run(std::move(command), on_line);
}

awaitable<Result<int>> ChildProgram::run(ChildCommand command, const OnLine& on_line) {
    const auto path = command.path;
    const auto executor = co_await asio::this_coro::executor;
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) co_return cannot_start(path);
    asio::posix::stream_descriptor output(executor, ends[0]);
    command.redirections.insert(command.redirections.begin(),
                                {{ends[1], STDOUT_FILENO}, {ends[1], STDERR_FILENO}});
    child_ = spawn(std::move(command));
    close(ends[1]);
    if (child_ < 0) co_return cannot_start(path);
    const auto handle = static_cast<int>(syscall(SYS_pidfd_open, child_, 0));
    if (handle < 0) co_return cannot_start(path);
    asio::posix::stream_descriptor ended(executor, handle);

    Lines lines(on_line);
    std::array<char, 4096> piece{};
    boost::system::error_code error;
    while (!error) {
        const auto size = co_await output.async_read_some(
            asio::buffer(piece), asio::redirect_error(asio::use_awaitable, error));
        lines.add({piece.data(), size});
    }
    lines.finish();
    co_await ended.async_wait(asio::posix::stream_descriptor::wait_read,
                              asio::redirect_error(asio::use_awaitable, error));
    int status = 0;
    waitpid(std::exchange(child_, 0), &status, 0);
    co_return status;
}

void ChildProgram::stop() {
    if (child_ > 0) kill(child_, stopping_ ? SIGKILL : SIGTERM);
    stopping_ = true;
}

Result<Finished> run_program(ChildCommand command) {
    const auto path = command.path;
    const auto cannot_start = [&] {
        return fail(Errc::unavailable, path + " cannot be started: " + std::strerror(errno) + ".");
    };
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return cannot_start();
    command.redirections.insert(command.redirections.begin(), {ends[1], STDOUT_FILENO});
    const pid_t child = spawn(std::move(command));
    close(ends[1]);
    if (child < 0) {
        auto failed = cannot_start();
        close(ends[0]);
        return failed;
    }
    Finished finished{0, read_all(ends[0])};
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (finished.status == kCannotRun && finished.output.empty())
        return fail(Errc::unavailable, path + " could not be started.");
    return finished;
}

}  // namespace plimsoll
