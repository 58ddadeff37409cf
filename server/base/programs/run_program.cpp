#include "server/base/programs/run_program.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll {
namespace {

constexpr std::size_t kOutputLimit = 1024 * 1024;

std::string read_all(int descriptor) {
    std::string output;
    std::array<char, 4096> buffer{};
    ssize_t count;
    while ((count = read(descriptor, buffer.data(), buffer.size())) != 0) {
        if (count < 0 && errno != EINTR) break;
        if (count > 0 && output.size() < kOutputLimit) {
            output.append(buffer.data(), static_cast<std::size_t>(count));
        }
    }
    return output;
}

}  // namespace

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
    if (finished.status == kCannotRun && finished.output.empty()) {
        return fail(Errc::unavailable, path + " could not be started.");
    }
    return finished;
}

}  // namespace plimsoll
