#include "server/kinds/sentiment/command/model_work.hpp"

#include "engine/base/format_number.hpp"
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
namespace {

using models::Manifest;

// The guard's findings about the forms of a model; fp32 needs no proof.
std::string forms_of(const Manifest& model) {
    std::string text = "fp32";
    for (const auto& proof : model.proofs) {
        const double share =
            100 * static_cast<double>(proof.same_label) / static_cast<double>(proof.texts);
        text += "; " + proof.form + " by " + proof.method +
                (proof.passed ? "" : " FAILED (" + proof.why + ")") + ": " + format_figure(share) +
                " % of " + format_count(static_cast<std::int64_t>(proof.texts)) +
                " labels match fp32, probabilities differ by at most " +
                format_figure(proof.max_difference) + ", " + format_figure(proof.speedup) +
                " times as fast";
    }
    return text;
}

// What `verify` measured; nothing is claimed about a model that was not measured here.
std::string accuracy_of(const Manifest& model) {
    std::string text;
    for (const auto& one : model.accuracies) {
        const auto percent = [](double share) { return format_figure(100 * share); };
        text += (text.empty() ? "" : "; ") + one.form + " " +
                percent(static_cast<double>(one.right) / static_cast<double>(one.texts)) +
                " % of " + format_count(static_cast<std::int64_t>(one.texts)) + " texts of " +
                one.texts_of + " (95 % interval: " + percent(one.low) + " to " + percent(one.high) +
                " %)";
    }
    return text.empty() ? "not measured" : text;
}

}  // namespace

std::string details_of(const Manifest& model) {
    const auto line = [](const std::string& key, const std::string& value) {
        constexpr std::size_t kWidth = 14;
        return value.empty() ? "" : key + std::string(kWidth - key.size(), ' ') + value + "\n";
    };
    const auto& by = model.added_by;
    auto text =
        line("Model", model.name) + line("Hash", model.hash) +
        line("Family", model.family + ", " + std::to_string(model.layers) +
                           (model.layers == 1 ? " layer" : " layers") + " of width " +
                           std::to_string(model.hidden)) +
        line("Parameters", format_count(static_cast<std::int64_t>(model.parameters))) +
        line("Labels", model.labels.empty() ? "none: embeddings only" : joined(model.labels)) +
        line("Longest text", std::to_string(model.longest_text) + " tokens") +
        line("Source", model.source) + line("Licence", model.licence) +
        line("Added", model.added_at + (by.empty() ? "" : " by " + by)) +
        line("For", model.audience) + line("Forms", forms_of(model)) +
        line("Accuracy", accuracy_of(model));
    for (const auto& file : model.files)
        text += line("File", file.name + "  " + size_text(file.bytes) + "  sha256 " + file.sha256);
    text.pop_back();
    return text;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::uint64_t kKilobyte = 1'000;
    constexpr std::uint64_t kMegabyte = 1'000'000;
    const auto in = [&](std::uint64_t unit) {
        return format_figure(static_cast<double>(bytes) / static_cast<double>(unit));
    };
    if (bytes < kKilobyte) return std::to_string(bytes) + " bytes";
    return bytes < kMegabyte ? in(kKilobyte) + " kB" : in(kMegabyte) + " MB";
}

Result<void> measure_accuracy(const std::filesystem::path& models, const std::string& model,
                              const LabelledFile& labels, bool quiet) {
    ChildCommand command{
        .path = sibling_program("plimsoll-engine"),
        .arguments = {"prove", model, "--models", models.string(), "--labels", labels.file},
        .environment = current_environment()};
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

extern "C" void ask_to_stop(int /*signal*/) { asked_to_stop = true; }

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
