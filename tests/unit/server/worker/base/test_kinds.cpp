#include "tests/unit/server/worker/base/test_kinds.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>

namespace plimsoll::worker {

Gate gate;
std::atomic<int> parsed = 0;

namespace {

using jobs::Merged;
using jobs::Run;
using jobs::RunContext;
using jobs::TaskOutput;

Result<std::string> parse(std::string_view args) {
    ++parsed;
    if (args == "broken") throw std::runtime_error("a bug");
    return std::string(args);
}

Result<TaskOutput> echo(const std::string&, std::string_view input, RunContext& context) {
    context.progress.count_tokens(3);
    context.progress.advance(1);
    return TaskOutput{std::string(input), 1, 0, std::string(input)};
}

Result<TaskOutput> wait_at_gate(const std::string& args, std::string_view input,
                                RunContext& context) {
    context.say(jobs::LogLevel::info, "At the gate.");
    gate.entered.release();
    gate.open.acquire();
    return echo(args, input, context);
}

Result<TaskOutput> until_stopped(const std::string&, std::string_view, RunContext& context) {
    gate.entered.release();
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, context.stop, [] { return false; });
    return fail(Errc::cancelled, "Stopped.");
}

// Fails as its input says.
Result<TaskOutput> fail_as(const std::string&, std::string_view input, RunContext&) {
    if (input == "throw") throw std::runtime_error("a bug");
    if (input == "throw 7") throw 7;
    if (input == "bad_alloc") throw std::bad_alloc();
    for (const auto code : {Errc::invalid_input, Errc::exhausted, Errc::unavailable, Errc::timeout,
                            Errc::cancelled, Errc::internal}) {
        if (input == to_string(code)) return fail(code, "As told.");
    }
    return TaskOutput{};
}

Result<TaskOutput> run_alone(const std::string&, std::string_view input, RunContext&) {
    if (input == "break") return fail(Errc::corrupt, "As told.");
    return TaskOutput{"alone: " + std::string(input), 1, 0, {}};
}

std::string shared_key(const std::string& args) { return args; }

void run_shared(std::span<jobs::SharedTask> tasks) {
    const auto has = [&](std::string_view input) {
        return std::ranges::find(tasks, input, &jobs::SharedTask::input) != tasks.end();
    };
    if (has("break")) return;
    for (auto& task : tasks) {
        task.work = task.input.size();
        if (task.input == "throw") throw std::runtime_error("a bug");
        if (task.input == "unreadable") {
            task.output = fail(Errc::corrupt, "As told.");
        } else if (task.input == "stopped") {
            task.output = fail(Errc::cancelled, "Stopped.");
        } else {
            const auto company = std::to_string(tasks.size());
            task.output = TaskOutput{company + ": " + std::string(task.input), 1, 0, {}};
        }
    }
}

Result<Merged> join(const std::string&, std::span<const std::string> partials) {
    return Merged{std::accumulate(partials.begin(), partials.end(), std::string()), {}};
}

Result<Merged> write_rows_again(const std::string&, std::span<const std::string> partials) {
    return Merged{"{}", partials.front()};
}

template <auto run, auto merge>
constexpr Run kind(std::string_view name) {
    return {.name = name,
            .version = 1,
            .parse = jobs::typed<parse>,
            .run = jobs::typed<run>,
            .merge = jobs::typed<merge>};
}

constexpr Run shared() {
    auto made = kind<run_alone, join>("shared");
    made.shared_key = jobs::typed<shared_key>;
    made.run_together = run_shared;
    return made;
}

constexpr Run kKinds[] = {
    kind<echo, join>("echo"),
    kind<wait_at_gate, join>("gate"),
    kind<until_stopped, join>("obedient"),
    kind<fail_as, join>("fail"),
    kind<echo, write_rows_again>("rows again"),
    shared(),
};

}  // namespace

const Run* find_test_kind(std::string_view name, int version) {
    const auto* const found = std::ranges::find_if(
        kKinds, [&](const Run& run) { return run.name == name && run.version == version; });
    return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace plimsoll::worker
