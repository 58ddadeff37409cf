#include "server/app/engine_process.hpp"

#include "server/base/log.hpp"
#include "server/jobs/registry.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll::app {
namespace {

namespace asio = boost::asio;
using Seconds = std::chrono::seconds;

constexpr Seconds kFirstPause{1};
constexpr Seconds kLongestPause{30};
constexpr Seconds kHealthyAfter{60};  // a child that ran this long resets the backoff
constexpr const char* kUrlVariable = "PLIMSOLL_DATABASE_WORKER_URL";

std::vector<std::string> environment_with(const std::string& url) {
    std::vector<std::string> variables;
    const std::string prefix = std::string(kUrlVariable) + "=";
    for (char** variable = environ; *variable; ++variable) {
        if (std::strncmp(*variable, prefix.c_str(), prefix.size()) != 0)
            variables.emplace_back(*variable);
    }
    variables.push_back(prefix + url);
    return variables;
}

std::string describe_end(int status) {
    if (WIFSIGNALED(status)) return std::string("killed by ") + strsignal(WTERMSIG(status));
    return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

void export_worker_env(const Settings& settings) {
    const auto tell = [](const char* variable, const std::string& value) {
        setenv(variable, value.c_str(), 1);
    };
    tell("PLIMSOLL_LOG_LEVEL", settings.log.level);
    tell("PLIMSOLL_LOG_FORMAT", settings.log.format);
    const auto& devices = settings.devices;
    tell("GPU_MAX_UTILIZATION_WARN", std::to_string(devices.max_utilization));
    tell("GPU_MAX_TEMPERATURE_C", std::to_string(devices.max_temperature));
    tell("GPU_MIN_FREE_VRAM_MB", std::to_string(devices.min_free_memory));
    tell("GPU_PROFILING_ENABLED", devices.log ? "1" : "0");
    tell("GPU_MEMORY_CLEANUP", devices.clean ? "1" : "0");
    tell("GPU_CLEANUP_INTERVAL_SEC", std::to_string(devices.clean_after));
    tell("FEATURE_CUDA_STREAMS", devices.second_queue ? "1" : "0");
    for (const auto& kind : jobs::contracts()) {
        for (const auto& setting : kind.settings) {
            tell(std::string(setting.variable).c_str(), settings.kinds.find(setting.key)->second);
        }
    }
}

EngineProcess::EngineProcess(asio::any_io_executor executor, std::string program,
                             std::string worker_url)
    : program_(std::move(program)),
      worker_url_(std::move(worker_url)),
      child_ended_(executor, SIGCHLD),
      pause_(executor) {}

EngineProcess::~EngineProcess() {
    if (child_ > 0) kill(child_, SIGKILL);
}

void EngineProcess::start() {
    // Everything is allocated before fork(): the child of a program with threads may not.
    auto variables = environment_with(worker_url_);
    std::vector<char*> environment;
    for (auto& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
    std::string command = "supervise";
    char* arguments[] = {program_.data(), command.data(), nullptr};
    const pid_t parent = getpid();
    child_ = fork();
    if (child_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) _exit(1);  // the server ended before the line above
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        // The programs must not hold the server's sockets: they would keep its port and could read
        // what its clients send.
        close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
        // Ctrl-C reaches the whole terminal; the server decides when its workers drain.
        setpgid(0, 0);
        execve(program_.c_str(), arguments, environment.data());
        _exit(127);
    }
    if (child_ < 0) {
        log::error("cannot start the worker supervisor", {{"reason", std::strerror(errno)}});
    } else {
        log::info("worker supervisor started", {{"pid", std::to_string(child_)}});
    }
}

asio::awaitable<void> EngineProcess::wait_for_end() {
    int status = 0;
    while (child_ > 0 && waitpid(child_, &status, WNOHANG) == 0) {
        boost::system::error_code cancelled;
        co_await child_ended_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    }
    if (child_ > 0 && !stopping_) {
        log::warn("worker supervisor exited unexpectedly", {{"reason", describe_end(status)}});
    }
    child_ = 0;
}

asio::awaitable<void> EngineProcess::run() {
    auto pause = kFirstPause;
    while (!stopping_) {
        const auto started = std::chrono::steady_clock::now();
        start();
        co_await wait_for_end();
        if (stopping_) break;
        if (std::chrono::steady_clock::now() - started > kHealthyAfter) pause = kFirstPause;
        pause_.expires_after(pause);
        pause = std::min(pause * 2, kLongestPause);
        boost::system::error_code cancelled;
        co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    }
}

void EngineProcess::stop() {
    if (child_ > 0) kill(child_, stopping_ ? SIGKILL : SIGTERM);
    stopping_ = true;
    pause_.cancel();
}

}  // namespace plimsoll::app
