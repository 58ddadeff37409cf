#include "server/postgres/cluster/child_process.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll::postgres {
namespace {

constexpr int kCannotStart = 127;
constexpr std::size_t kOutputLimit = 64 * 1024;

// Between fork and exec only async-signal-safe calls are allowed, since other threads may have held
// any lock.
[[noreturn]] void become(char* const* arguments, char* const* environment, const RunAs* as,
                         int output, pid_t parent) {
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (close_range(3, ~0U, 0) != 0) {
        for (int descriptor = 3; descriptor < 1024; ++descriptor) close(descriptor);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    umask(0077);
    const bool dropped = !as || (setgroups(as->groups.size(), as->groups.data()) == 0 &&
                                 setgid(as->group) == 0 && setuid(as->user) == 0);
    // Ends together with the program that started it, for example initdb when a start is aborted.
    // Set after the change of user, which would reset it.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(kCannotStart);
    if (dropped && chdir("/") == 0) execve(arguments[0], arguments, environment);
    _exit(kCannotStart);
}

std::string read_all(int descriptor) {
    std::string output;
    char buffer[4096];
    ssize_t count;
    while ((count = read(descriptor, buffer, sizeof buffer)) != 0) {
        if (count < 0 && errno != EINTR) break;
        if (count > 0 && output.size() < kOutputLimit) {
            output.append(buffer, static_cast<std::size_t>(count));
        }
    }
    return output;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

}  // namespace

std::optional<RunAs> find_os_user(const std::string& name) {
    const passwd* entry = getpwnam(name.c_str());
    if (!entry) return std::nullopt;
    RunAs found{entry->pw_uid, entry->pw_gid, std::vector<gid_t>(64), entry->pw_dir};
    int count = static_cast<int>(found.groups.size());
    if (getgrouplist(name.c_str(), found.group, found.groups.data(), &count) < 0) {
        count = 1;
        found.groups[0] = found.group;
    }
    found.groups.resize(static_cast<std::size_t>(count));
    return found;
}

Result<Finished> run_program(const std::vector<std::string>& command,
                             const std::optional<RunAs>& as) {
    std::vector<std::string> arguments = command;
    std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"};
    if (as) environment.push_back("HOME=" + as->home);
    const auto argument_pointers = pointers(arguments);
    const auto environment_pointers = pointers(environment);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return fail(Errc::unavailable,
                    std::string("Cannot create a pipe: ") + std::strerror(errno));
    }
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        become(argument_pointers.data(), environment_pointers.data(), as ? &*as : nullptr, ends[1],
               parent);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return fail(Errc::unavailable,
                    std::string("Cannot start a process: ") + std::strerror(errno));
    }
    Finished finished{0, read_all(ends[0])};
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (finished.status == kCannotStart && finished.output.empty()) {
        return fail(Errc::unavailable, command[0] + " could not be started.");
    }
    return finished;
}

}  // namespace plimsoll::postgres
