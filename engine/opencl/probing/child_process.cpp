#include "engine/opencl/probing/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll::opencl {

namespace {

using Clock = std::chrono::steady_clock;

// How long a killed child may take to exit: one blocked in a driver's kernel module may never.
constexpr std::chrono::seconds kKillGrace{2};
// The exit status that says "the work threw"; the output is then the exception's message.
constexpr int kThrew = 70;

class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(fd_); }
    int get() const { return fd_; }

  private:
    int fd_;
};

[[noreturn]] void throw_errno(const char* call) {
    throw std::system_error(errno, std::generic_category(), call);
}

void write_all(int fd, const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
        const auto n = write(fd, text.data() + sent, text.size() - sent);
        if (n <= 0) _exit(kThrew);
        sent += static_cast<std::size_t>(n);
    }
}

[[noreturn]] void be_child(const std::function<std::string()>& work, int out, pid_t parent,
                           ChildOutput printed) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kThrew);  // it died before the line above
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (const int signal : {SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGABRT, SIGTERM, SIGINT})
        std::signal(signal, SIG_DFL);
    if (printed == ChildOutput::dropped) dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    int status = 0;
    std::string output;
    try {
        output = work();
    } catch (const std::exception& e) {
        output = e.what();
        status = kThrew;
    }
    write_all(out, output);
    // Not exit(): a driver's destructors may crash.
    _exit(status);
}

// Appends the available output.
void drain(int fd, std::string& output) {
    std::array<char, 4096> chunk;
    for (;;) {
        const auto n = read(fd, chunk.data(), chunk.size());
        if (n <= 0) return;
        output.append(chunk.data(), static_cast<std::size_t>(n));
    }
}

// Collects output until the process ends or the time is up. True when it ended.
bool await_end(int process, int pipe, Clock::time_point until, std::string& output) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        if (left <= 0) return false;
        std::array<pollfd, 2> watched{pollfd{process, POLLIN, 0}, pollfd{pipe, POLLIN, 0}};
        if (poll(watched.data(), watched.size(), static_cast<int>(left)) < 0 && errno != EINTR)
            throw_errno("poll");
        drain(pipe, output);
        if ((watched[0].revents & POLLIN) != 0) {
            drain(pipe, output);
            return true;
        }
        // The child closed its end but lives on: from here only its end matters.
        if ((watched[1].revents & POLLHUP) != 0) pipe = -1;
    }
}

std::string killed_by(int signal) {
    const char* name = sigabbrev_np(signal);
    return name != nullptr ? "killed by SIG" + std::string(name)
                           : "killed by signal " + std::to_string(signal);
}

}  // namespace

ChildEnd run_in_child(const std::function<std::string()>& work, std::chrono::milliseconds deadline,
                      ChildOutput printed) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw_errno("pipe2");
    const Descriptor in(ends[0]);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) {
        close(ends[1]);
        throw_errno("fork");
    }
    if (child == 0) {
        fcntl(ends[1], F_SETFL, 0);  // the child may block
        be_child(work, ends[1], parent, printed);
    }
    close(ends[1]);
    // By number: glibc 2.36 declares pidfd_open for C only.
    const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
    if (process.get() < 0) throw_errno("pidfd_open");

    ChildEnd end;
    if (!await_end(process.get(), in.get(), Clock::now() + deadline, end.output)) {
        kill(child, SIGKILL);
        std::string ignored;
        if (await_end(process.get(), in.get(), Clock::now() + kKillGrace, ignored))
            waitpid(child, nullptr, 0);
        return {ChildEnd::Kind::hung,
                {},
                "no response within " + std::to_string(deadline.count()) + " ms"};
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child) throw_errno("waitpid");
    if (WIFSIGNALED(status)) return {ChildEnd::Kind::crashed, {}, killed_by(WTERMSIG(status))};
    if (WEXITSTATUS(status) == kThrew) return {ChildEnd::Kind::crashed, {}, std::move(end.output)};
    if (WEXITSTATUS(status) != 0) {
        return {ChildEnd::Kind::crashed,
                {},
                "ended with exit status " + std::to_string(WEXITSTATUS(status))};
    }
    return end;
}

}  // namespace plimsoll::opencl
