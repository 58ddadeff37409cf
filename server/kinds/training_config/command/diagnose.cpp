#include "engine/training/advice/text.hpp"
#include "engine/training/advice/unused_observations.hpp"
#include "server/kinds/training_config/command/commands.hpp"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::training_config {
namespace {

nlohmann::json json_of(const std::vector<training::Cause>& causes) {
    auto list = nlohmann::json::array();
    for (const auto& cause : causes) {
        list.push_back({{"cause", cause.cause},
                        {"change", cause.change},
                        {"gain", cause.gain},
                        {"from_guide", cause.from_guide}});
    }
    return {{"causes", std::move(list)}};
}

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
    command->callback([seen, command, &context] {
        if (const auto measured = require_measurement(*command); !measured) {
            context.exit_code = refuse_input(context, measured.error());
            return;
        }
        const auto causes = training::diagnose(*seen);
        if (!causes) {
            context.exit_code = refuse_input(context, causes.error());
            return;
        }
        if (const auto used = require_effect(*seen); !used) {
            context.exit_code = refuse_input(context, used.error());
            return;
        }
        if (context.json) return print_json(context, json_of(*causes));
        print(causes->empty() ? "Nothing unusual found.\n" : training::text::causes(*causes));
    });
}

}  // namespace plimsoll::jobs::training_config
