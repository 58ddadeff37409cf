#include "engine/training/advice/diagnosis.hpp"
#include "server/kinds/training_config/command/commands.hpp"

#include <algorithm>
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
                "--step-seconds or --out-of-memory.");
}

Result<void> require_effect(const training::Observation& seen) {
    const auto unused = training::unused_observations(seen, false);
    if (unused.empty()) return {};
    std::string flag(unused.front().member == "loader_workers" ? "workers" : unused.front().member);
    std::ranges::replace(flag, '_', '-');
    return fail(Errc::invalid_input, "--" + flag + " has no effect on this diagnosis. " +
                                         std::string(unused.front().why));
}

Result<Answer> diagnose(const CLI::App& command, const training::Observation& seen) {
    TRY_DO(require_measurement(command));
    TRY(const auto causes, training::diagnose(seen));
    TRY_DO(require_effect(seen));
    Answer told{{{"causes", nlohmann::json::array()}}, {}};
    for (const auto& [cause, change, gain, from_guide, subject] : causes) {
        told.value["causes"].push_back(
            {{"cause", cause}, {"change", change}, {"gain", gain}, {"from_guide", from_guide}});
        told.text += fmt::format("{}. {}: {} ({}){}\n", told.value["causes"].size(), cause, change,
                                 gain, from_guide ? " [guide]" : "");
    }
    if (causes.empty()) told.text = "Nothing unusual found.\n";
    return told;
}

}  // namespace

void add_diagnose(CLI::App& app, CommandContext& context) {
    const auto seen = std::make_shared<training::Observation>();
    auto* command =
        app.add_subcommand("diagnose", "Find out why a training run is slow or runs out of memory");
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
    command->callback([seen, command, &context] { answer(context, diagnose(*command, *seen)); });
}

}  // namespace plimsoll::jobs::training_config
