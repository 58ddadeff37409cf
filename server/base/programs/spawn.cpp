#include "server/base/programs/spawn.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

bool redirect(const ChildCommand::Redirection& one) {
    const int from =
        one.from == ChildCommand::kNothing ? open("/dev/null", O_RDWR | O_CLOEXEC) : one.from;
    if (from == one.to) return fcntl(from, F_SETFD, 0) == 0;
    return dup2(from, one.to) >= 0;
}

bool drop_privileges(const RunAs& as) {
    return setgroups(as.groups.size(), as.groups.data()) == 0 && setgid(as.group) == 0 &&
           setuid(as.user) == 0;
}

void give_way(const ChildCommand& command, const std::string& niceness) {
    (void)!nice(command.niceness);
    const int group = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);  // not in every kernel
    if (group >= 0) (void)!write(group, niceness.data(), niceness.size());
}

bool bound_memory(std::uint64_t bytes) {
    const rlimit limit{bytes, bytes};
    const int rank = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (rank >= 0) (void)!write(rank, "1000", 4);
    return setrlimit(RLIMIT_DATA, &limit) == 0;
}

// Between fork and exec: async-signal-safe calls only, because other threads may have held any
// lock.
[[noreturn]] void become(const ChildCommand& command, char* const* arguments,
                         char* const* environment, const std::string& niceness, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    // The program must not hold the server's sockets: it would keep its port and could read what
    // its clients send.
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    for (const auto& one : command.redirections)
        if (!redirect(one)) _exit(kCannotRun);
    // Ctrl-C reaches the whole terminal; this program decides when its children end.
    if (command.niceness > 0) {
        setsid();
        give_way(command, niceness);
    } else {
        setpgid(0, 0);
    }
    if (command.umask) umask(*command.umask);
    if (command.memory_limit > 0 && !bound_memory(command.memory_limit)) _exit(kCannotRun);
    if (command.as && !drop_privileges(*command.as)) _exit(kCannotRun);
    // After the change of user, which would reset it.
    if (prctl(PR_SET_PDEATHSIG, command.death_signal) != 0) _exit(kCannotRun);
    if (getppid() != parent) _exit(kCannotRun);  // it ended before the line above
    if (command.folder.empty() || chdir(command.folder.c_str()) == 0)
        execve(command.path.c_str(), arguments, environment);
    _exit(kCannotRun);
}

}  // namespace

std::vector<std::string> current_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        variables.emplace_back(*variable);
    return variables;
}

pid_t spawn(ChildCommand command) {
    // Everything is allocated before fork(): the child of a program with threads may not.
    command.arguments.insert(command.arguments.begin(),
                             command.name.empty() ? command.path : command.name);
    const auto arguments = pointers_to(command.arguments);
    const auto environment = pointers_to(command.environment);
    const auto niceness = std::to_string(command.niceness);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) become(command, arguments.data(), environment.data(), niceness, parent);
    return child;
}

std::string describe_end(int status) {
    if (WIFSIGNALED(status)) {
        const char* name = sigabbrev_np(WTERMSIG(status));
        return name != nullptr ? "killed by SIG" + std::string(name)
                               : "killed by signal " + std::to_string(WTERMSIG(status));
    }
    return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace plimsoll
