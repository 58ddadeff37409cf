#include "engine/training/guides/naics_memory.hpp"
#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/described_cards.hpp"
#include "server/kinds/training_config/contract/bytes.hpp"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace naics = ::plimsoll::training::naics;

Result<Answer> suggest(naics::Search search, bool automatic) {
    if (automatic) {
        TRY(const auto card, detected_gpu());
        search.gpu_gib = static_cast<double>(card.total_bytes) / kGiB;
    }
    TRY(const auto stages, naics::suggest_stages({}, search));
    Answer told{{{"stages", nlohmann::json::array()}}, {}};
    for (const auto& s : stages) {
        told.value["stages"].push_back({{"stage", s.stage},
                                        {"batch_size", s.batch},
                                        {"n_positives", s.positives},
                                        {"n_negatives", s.negatives},
                                        {"accumulate_grad_batches", s.accumulation},
                                        {"effective_batch", s.effective_batch},
                                        {"utilization_percent", s.utilisation_percent},
                                        {"total_mib", s.breakdown.total_mib()}});
        const auto& b = s.breakdown;
        told.text += fmt::format(
            "{}: batch_size {}, n_positives {}, n_negatives {}, "
            "accumulate_grad_batches {}, effective {}, {:.1f} % of the GPU ({})\n"
            "  model {:.1f}, optimizer {:.1f}, gradients {:.1f}, activations {:.1f}, "
            "batch data {:.1f}, overhead {:.0f}, total {:.1f} MiB\n",
            s.stage, s.batch, s.positives, s.negatives, s.accumulation, s.effective_batch,
            s.utilisation_percent, to_string(naics::judge_utilisation(s.utilisation_percent)),
            b.model, b.optimizer, b.gradients, b.activations, b.batch_data, b.overhead,
            b.total_mib());
    }
    // What a card sold with 24 GB has for PyTorch, and the guide's own example is about.
    constexpr double kSold = 24, kSeen = 23.6;
    if (!automatic && search.gpu_gib == kSold)
        told.text += fmt::format(
            "The guide's 45 x 5 is for the {} GiB that PyTorch sees of such a GPU: --gpu-memory "
            "{}.\n",
            kSeen, kSeen);
    return told;
}

}  // namespace

void add_guide(CLI::App& app, CommandContext& context) {
    const auto search = std::make_shared<naics::Search>();
    auto* command =
        app.add_subcommand("guide", "Show the NAICS memory guide's suggestions for a GPU");
    auto* memory = command->add_option("--gpu-memory", search->gpu_gib, "Memory of the GPU in GiB");
    auto* here = command->add_flag("--auto")
                     ->description("Read the memory from nvidia-smi")
                     ->excludes(memory);
    command
        ->add_option("--target-effective-batch", search->target_effective_batch,
                     "Samples per optimizer step")
        ->capture_default_str();
    command->add_option("--safety-margin", search->safety, "Fraction of the GPU's memory to use")
        ->check(CLI::Range(0.01, 1.0))
        ->capture_default_str();
    command->callback([search, memory, here, &context] {
        if (memory->empty() && here->empty()) throw CLI::RequiredError("--gpu-memory or --auto");
        answer(context, suggest(*search, !here->empty()));
    });
}

}  // namespace plimsoll::jobs::training_config
