#include "engine/training/advice/text.hpp"
#include "engine/training/guides/naics_memory.hpp"
#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/detected_gpu.hpp"

#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::training_config {
namespace {

nlohmann::json json_of(const std::vector<training::naics::Suggestion>& stages) {
    auto list = nlohmann::json::array();
    for (const auto& stage : stages) {
        list.push_back({{"stage", stage.stage},
                        {"batch_size", stage.batch},
                        {"n_positives", stage.positives},
                        {"n_negatives", stage.negatives},
                        {"accumulate_grad_batches", stage.accumulation},
                        {"effective_batch", stage.effective_batch},
                        {"utilization_percent", stage.utilisation_percent},
                        {"total_mib", stage.breakdown.total_mib()}});
    }
    return {{"stages", std::move(list)}};
}

}  // namespace

void add_guide(CLI::App& app, CommandContext& context) {
    const auto search = std::make_shared<training::naics::Search>();
    const auto automatic = std::make_shared<bool>(false);
    auto* command =
        app.add_subcommand("guide", "Show the NAICS memory guide's suggestions for a GPU");
    auto* memory = command->add_option("--gpu-memory", search->gpu_gib, "Memory of the GPU in GiB");
    auto* here = command->add_flag("--auto", *automatic, "Read the memory from nvidia-smi")
                     ->excludes(memory);
    command
        ->add_option("--target-effective-batch", search->target_effective_batch,
                     "Samples per optimizer step")
        ->capture_default_str();
    command->add_option("--safety-margin", search->safety, "Fraction of the GPU's memory to use")
        ->capture_default_str();
    command->callback([search, automatic, memory, here, &context] {
        if (memory->empty() && here->empty()) throw CLI::RequiredError("--gpu-memory or --auto");
        if (*automatic) {
            const auto card = detected_gpu();
            if (!card) {
                context.exit_code = refuse_input(context, card.error());
                return;
            }
            search->gpu_gib = static_cast<double>(card->total_bytes) / (1024.0 * 1024 * 1024);
        }
        const auto stages = training::naics::suggest_stages({}, *search);
        if (!stages) {
            context.exit_code = refuse_input(context, stages.error());
            return;
        }
        if (context.json) return print_json(context, json_of(*stages));
        print(training::text::naics_suggestions(*stages));
    });
}

}  // namespace plimsoll::jobs::training_config
