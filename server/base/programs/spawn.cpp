#include "server/base/programs/spawn.hpp"

#include <csignal>
#include <cstring>

#include <linux/close_range.h>
#include <sys/prctl.h>
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

}  // namespace

std::vector<std::string> own_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        variables.emplace_back(*variable);
    }
    return variables;
}

pid_t spawn(ChildCommand command) {
    // Everything is allocated before fork(): the child of a program with threads may not.
    command.arguments.insert(command.arguments.begin(), command.path);
    const auto arguments = pointers_to(command.arguments);
    const auto environment = pointers_to(command.environment);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);  // the parent ended before the line above
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (command.input >= 0) dup2(command.input, STDIN_FILENO);
    if (command.output >= 0) {
        dup2(command.output, STDOUT_FILENO);
        dup2(command.output, STDERR_FILENO);
    }
    // The program must not hold the server's sockets: it would keep its port and could read what
    // its clients send.
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    // Ctrl-C reaches the whole terminal; the server decides when its children end.
    setpgid(0, 0);
    execve(command.path.c_str(), arguments.data(), environment.data());
    _exit(127);
}

std::string describe_end(int status) {
    if (WIFSIGNALED(status)) return std::string("killed by ") + strsignal(WTERMSIG(status));
    return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace plimsoll
