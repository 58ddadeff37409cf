#include "server/app/engine_process.hpp"

#include "server/base/backoff.hpp"
#include "server/base/log.hpp"
#include "server/base/programs/spawn.hpp"
#include "server/jobs/registry.hpp"

#include <cstring>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <signal.h>
#include <sys/wait.h>

namespace plimsoll::app {
namespace {

namespace asio = boost::asio;
using Seconds = std::chrono::seconds;

// Requests go before computing where both want the same processors.
constexpr int kNiceness = 5;
constexpr Seconds kFirstPause{1};
constexpr Seconds kLongestPause{30};
constexpr Seconds kHealthyAfter{60};  // a child that ran this long resets the backoff
constexpr const char* kUrlVariable = "PLIMSOLL_DATABASE_WORKER_URL";

std::vector<std::string> environment_with(const std::string& url) {
    const std::string prefix = std::string(kUrlVariable) + "=";
    auto variables = current_environment();
    std::erase_if(variables, [&](const auto& variable) { return variable.starts_with(prefix); });
    variables.push_back(prefix + url);
    return variables;
}

}  // namespace

void export_worker_env(const Settings& settings) {
    const auto tell = [](const char* variable, const std::string& value) {
        setenv(variable, value.c_str(), 1);
    };
    tell("PLIMSOLL_LOG_LEVEL", settings.log.level);
    tell("PLIMSOLL_LOG_FORMAT", settings.log.format);
    tell("PLIMSOLL_TRACING_ENDPOINT", settings.tracing.endpoint);
    for (const auto& setting : outbound::object_settings())
        tell(std::string(setting.variable).c_str(), settings.objects.*setting.member);
    const auto& devices = settings.devices;
    tell("GPU_MAX_UTILIZATION_WARN", std::to_string(devices.max_utilization));
    tell("GPU_MAX_TEMPERATURE_C", std::to_string(devices.max_temperature));
    tell("GPU_MIN_FREE_VRAM_MB", std::to_string(devices.min_free_memory));
    tell("GPU_PROFILING_ENABLED", devices.log ? "1" : "0");
    tell("GPU_MEMORY_CLEANUP", devices.clean ? "1" : "0");
    tell("GPU_CLEANUP_INTERVAL_SEC", std::to_string(devices.clean_after));
    tell("FEATURE_CUDA_STREAMS", devices.second_queue ? "1" : "0");
    tell("PLIMSOLL_WORKER_MEMORY_MB", std::to_string(devices.worker_memory));
    for (const auto& kind : jobs::contracts())
        for (const auto& setting : kind.settings)
            tell(std::string(setting.variable).c_str(), settings.kinds.find(setting.key)->second);
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
    child_ = spawn({.path = program_,
                    .arguments = {"supervise"},
                    .environment = environment_with(worker_url_),
                    .niceness = kNiceness});
    if (child_ < 0)
        log::error("cannot start the worker supervisor", {{"reason", std::strerror(errno)}});
    else
        log::info("worker supervisor started", {{"pid", std::to_string(child_)}});
}

awaitable<void> EngineProcess::wait_for_end() {
    int status = 0;
    while (child_ > 0 && waitpid(child_, &status, WNOHANG) == 0) {
        boost::system::error_code cancelled;
        co_await child_ended_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    }
    if (child_ > 0 && !stopping_)
        log::warn("worker supervisor exited unexpectedly", {{"reason", describe_end(status)}});
    child_ = 0;
}

awaitable<void> EngineProcess::run() {
    Backoff backoff(kFirstPause, kLongestPause);
    while (!stopping_) {
        const auto started = std::chrono::steady_clock::now();
        start();
        co_await wait_for_end();
        if (stopping_) break;
        if (std::chrono::steady_clock::now() - started > kHealthyAfter) backoff.reset();
        pause_.expires_after(backoff.next());
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
