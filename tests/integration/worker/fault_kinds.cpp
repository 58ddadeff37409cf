// The registry of a worker program for tests: one kind, "test", whose tasks do what their input
// says. A task may name a folder, through which it tells the test that it runs and is told to go
// on.

#include "engine/opencl/runtime/device.hpp"
#include "failing_driver.hpp"
#include "server/jobs/registry.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

namespace plimsoll::jobs {

namespace {

namespace fs = std::filesystem;

TaskOutput done(std::string_view input, const RunContext& context) {
    const auto items = context.progress.total();
    return {std::string(input), items, 0, std::string(input) + ";"};
}

// Alive, until `is_over` says so or the task is stopped.
Result<TaskOutput> beat_until(std::string_view input, RunContext& context, auto is_over) {
    while (!is_over()) {
        if (context.stop.stop_requested()) return fail(Errc::cancelled, "Stopped.");
        context.progress.beat();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return done(input, context);
}

// A kernel that never ends: its thread waits inside the driver.
Result<void> hang(const opencl::Device& device) {
    const auto kernel = device.build(
        "kernel void wait(global volatile uint* go) { while (go[0] == 0) {} }", "wait");
    if (!kernel) return fail(kernel.error());
    const auto go = device.allocate(sizeof(std::uint32_t));
    if (!go) return fail(go.error());
    const std::array<std::byte, sizeof(std::uint32_t)> no{};
    if (auto done = device.write(*go, no); !done) return done;
    if (auto done = device.set_argument(*kernel, 0, *go); !done) return done;
    if (auto done = device.launch(*kernel, 1, 1); !done) return done;
    return device.finish();
}

// An error after which no call of the context succeeds, as after an out-of-bounds access on a GPU.
Result<void> break_context(const opencl::Device& device) {
    failing_driver::context_is_broken = true;
    return device.finish();
}

// More than the process may have; nothing of it is touched.
Result<void> gorge() {
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(std::size_t{2} << 30);
    [[maybe_unused]] std::byte* volatile needed = memory.get();  // else it may be left out
    return {};
}

// More than the device has.
Result<void> take_too_much(const opencl::Device& device) {
    failing_driver::memory_is_taken = true;
    const auto buffer = device.allocate(std::size_t{1} << 20);
    failing_driver::memory_is_taken = false;
    if (!buffer) return fail(buffer.error());
    return {};
}

// "say …": has what follows in its log, many times; "echo …", "clock": answers the time, in
// microseconds since 1970; "crash", "hold FOLDER": says FOLDER/held and goes on when there is
// FOLDER/go; "forever FOLDER": says FOLDER/held and goes on until it is stopped; "hang FOLDER":
// says FOLDER/held and hangs in a kernel; "break FOLDER" and "starve FOLDER": says it and fails as
// after an error that lasts, or for lack of the device's memory; "gorge FOLDER" takes 2 GiB of the
// machine's. The last four are done where that was said before.
Result<TaskOutput> run(const std::any&, std::string_view input, RunContext& context) {
    const auto space = input.find(' ');
    const auto what = input.substr(0, space);
    const fs::path folder(space == std::string_view::npos ? "" : input.substr(space + 1));
    if (what == "crash") std::abort();
    if (what == "echo") return done(input, context);
    if (what == "say") {
        for (int i = 0; i < 60; ++i) context.say(LogLevel::warning, input.substr(space + 1));
        return done(input, context);
    }
    if (what == "clock") {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return done(
            std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count()),
            context);
    }
    const bool fails_once =
        what == "hang" || what == "break" || what == "starve" || what == "gorge";
    if (fails_once && fs::exists(folder / "held")) return done(input, context);
    std::ofstream(folder / "held").flush();
    if (fails_once) {
        const auto ended = what == "hang"    ? hang(*context.device)
                           : what == "break" ? break_context(*context.device)
                           : what == "gorge" ? gorge()
                                             : take_too_much(*context.device);
        if (!ended) return fail(ended.error());
        return done(input, context);
    }
    if (what == "hold") {
        context.say(LogLevel::info, "Waits for the test.");
        return beat_until(input, context, [&] { return fs::exists(folder / "go"); });
    }
    return beat_until(input, context, [] { return false; });
}

// As text in quotes: a report is JSON.
Result<Merged> merge(const std::any&, std::span<const std::string> partials) {
    std::string all;
    for (const auto& partial : partials) all += partial;
    return Merged{"\"" + all + "\"", {}};
}

Result<std::any> parse(std::string_view) { return std::any(); }

// Nothing is kept; the log tells the number.
std::uint64_t release(opencl::Device*) { return 4711; }

constexpr std::array kRuns{Run{
    .name = "test", .version = 1, .parse = parse, .run = run, .merge = merge, .release = release}};

}  // namespace

std::span<const Run> runs() { return kRuns; }

const Run* find_run(std::string_view name, int version) {
    return name == kRuns[0].name && version == kRuns[0].version ? kRuns.data() : nullptr;
}

}  // namespace plimsoll::jobs
