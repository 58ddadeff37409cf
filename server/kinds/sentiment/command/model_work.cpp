#include "server/kinds/sentiment/command/model_work.hpp"

#include "server/base/programs/sibling_program.hpp"
#include "server/base/programs/spawn.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <future>

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll::jobs::sentiment {

Result<void> measure_accuracy(const std::filesystem::path& models, const std::string& model,
                              const LabelledFile& labels, bool quiet) {
    ChildCommand command{
        .path = sibling_program("plimsoll-engine"),
        .arguments = {"prove", model, "--models", models.string(), "--labels", labels.file},
        .environment = own_environment()};
    for (const auto& name : labels.names) {
        command.arguments.emplace_back("--label-name");
        command.arguments.push_back(name);
    }
    if (quiet) command.redirections = {{STDERR_FILENO, STDOUT_FILENO}};
    const pid_t child = spawn(command);
    if (child < 0) {
        return fail(Errc::unavailable,
                    command.path + " cannot be started: " + std::strerror(errno) + ".");
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return fail(Errc::unavailable, "The accuracy was not measured.");
}

namespace {

std::atomic<bool> asked_to_stop = false;

extern "C" void ask_to_stop(int /*signal*/) {
    asked_to_stop = true;
}

// Until the end of its scope, the first signal asks the work to stop, so that it cleans up, and the
// second one ends the program.
class StopOnSignal {
  public:
    StopOnSignal() {
        struct sigaction ask{};
        ask.sa_handler = ask_to_stop;
        ask.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(SIGINT, &ask, &interrupt_);
        sigaction(SIGTERM, &ask, &terminate_);
    }
    StopOnSignal(const StopOnSignal&) = delete;
    StopOnSignal& operator=(const StopOnSignal&) = delete;
    ~StopOnSignal() {
        sigaction(SIGINT, &interrupt_, nullptr);
        sigaction(SIGTERM, &terminate_, nullptr);
    }

  private:
    struct sigaction interrupt_{};
    struct sigaction terminate_{};
};

}  // namespace

Result<models::Manifest> watched(
    const terminal::CommandContext& context, ProgressStyle style, const std::string& title,
    std::uint64_t bytes, const std::function<Result<models::Manifest>(const Watch&)>& work) {
    const StopOnSignal stopper;
    Progress progress;
    progress.set_total(static_cast<std::int64_t>(bytes));
    std::stop_source stop;
    auto done =
        std::async(std::launch::async, [&] { return work(Watch{stop.get_token(), &progress}); });
    terminal::ProgressBar bar(context.terminal, title);
    std::int64_t told = -1;
    const auto tell = [&] {
        if (style == ProgressStyle::bar) {
            if (!context.json) bar.show(progress.done(), progress.total());
        } else if (progress.done() != std::exchange(told, progress.done())) {
            context.terminal.line(
                nlohmann::json{{"title", title}, {"done", told}, {"total", progress.total()}}
                    .dump());
        }
    };
    constexpr std::chrono::milliseconds kFrame{100};
    do {
        tell();
        if (asked_to_stop) stop.request_stop();
    } while (done.wait_for(kFrame) != std::future_status::ready);
    tell();
    if (style == ProgressStyle::bar && !context.json) bar.finish();
    return done.get();
}

}  // namespace plimsoll::jobs::sentiment
