#include "engine/training/advice/diagnosis.hpp"
#include "server/kinds/training_config/command/commands.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

Result<void> require_measurement(const CLI::App& command) {
    constexpr const char* kMeasured[] = {"--gpu-percent",   "--cpu-percent",  "--memory-percent",
                                         "--out-of-memory", "--step-seconds", "--workers",
                                         "--accumulation"};
    if (std::ranges::any_of(kMeasured, [&](auto* flag) { return command.count(flag) > 0; }))
        return {};
    return fail(Errc::invalid_input,
                "Give at least one measurement: --gpu-percent, --cpu-percent, --memory-percent, "
                "--step-seconds, --out-of-memory, or the log of a run that ran out of memory.");
}

// Facts that change nothing are no mistake: it says what would make use of them.
void add_unused(const training::Observation& seen, Answer& told) {
    for (const auto& [member, why] : training::unused_observations(seen, false)) {
        std::string flag(member == "loader_workers" ? "workers" : member);
        std::ranges::replace(flag, '_', '-');
        told.value["unused"].push_back({{"flag", "--" + flag}, {"why", why}});
        told.text += fmt::format("--{} changes nothing here. {}\n", flag, why);
    }
}

Result<training::OutOfMemory> read_message(const std::string& file) {
    std::ifstream opened(file);
    auto& in = file == "-" ? std::cin : opened;
    const std::string log{std::istreambuf_iterator(in), {}};
    if (!in) return fail(Errc::not_found, "The file cannot be read.", file);
    if (const auto message = training::read_out_of_memory(log)) return *message;
    return fail(Errc::invalid_input,
                "The file holds no \"out of memory. Tried to allocate …\" of PyTorch.", file);
}

Result<Answer> diagnose(const CLI::App& command, training::Observation seen,
                        const std::string& file) {
    std::vector<training::Cause> found;
    if (file.empty()) {
        TRY_DO(require_measurement(command));
    } else {
        TRY(const auto message, read_message(file));
        found = training::causes_of(message);
        seen.out_of_memory = true;
    }
    TRY(const auto causes, training::diagnose(seen));
    found.insert(found.end(), causes.begin(), causes.end());
    Answer told{{{"causes", nlohmann::json::array()}, {"unused", nlohmann::json::array()}}, {}};
    for (const auto& [cause, change, gain, from_guide, subject] : found) {
        told.value["causes"].push_back(
            {{"cause", cause}, {"change", change}, {"gain", gain}, {"from_guide", from_guide}});
        told.text += fmt::format("{}. {}: {} ({}){}\n", told.value["causes"].size(), cause, change,
                                 gain, from_guide ? " [guide]" : "");
    }
    if (found.empty()) told.text = "Nothing unusual found.\n";
    add_unused(seen, told);
    return told;
}

}  // namespace

void add_diagnose(CLI::App& app, CommandContext& context) {
    const auto seen = std::make_shared<training::Observation>();
    auto* command =
        app.add_subcommand("diagnose", "Find out why a training run is slow or runs out of memory");
    const auto file = std::make_shared<std::string>();
    command->add_option("file", *file,
                        "Log or message of a run that ran out of memory; - reads standard input");
    command->add_option("--gpu-percent", seen->gpu_percent, "GPU utilization");
    command->add_option("--cpu-percent", seen->cpu_percent, "CPU utilization");
    command->add_option("--memory-percent", seen->memory_percent, "GPU memory in use");
    command->add_flag("--out-of-memory", seen->out_of_memory, "The run ran out of memory");
    command->add_option("--batch", seen->batch, "Micro-batch size of the run");
    command->add_option("--accumulation", seen->accumulation, "Micro-batches per optimizer step");
    command->add_flag("--checkpointing", seen->checkpointing, "The run checkpoints activations");
    command->add_option("--workers", seen->loader_workers, "Data loader workers of the run");
    command->add_option("--cpu-cores", seen->cpu_cores, "CPU cores of the machine");
    command->add_option("--step-seconds", seen->step_seconds,
                        "Time per optimizer step, including all micro-batches");
    command->add_option("--max-batch", seen->max_batch,
                        "Largest batch size that fits, from an estimate");
    command->callback([=, &context] { answer(context, diagnose(*command, *seen, *file)); });
}

}  // namespace plimsoll::jobs::training_config
