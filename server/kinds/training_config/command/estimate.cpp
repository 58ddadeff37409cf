#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/described_cards.hpp"
#include "server/kinds/training_config/command/place_names.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/report/summary_text.hpp"
#include "server/terminal/table_width.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

const std::map<std::string, std::string> kTrainers = {{"transformers", "Transformers"},
                                                      {"pytorch", "PyTorch"},
                                                      {"lightning", "Lightning"},
                                                      {"deepspeed", "DeepSpeed"}};

// The card's settings for one trainer, ready to paste; nothing where the run does not fit.
std::string to_paste(const json& summary, const std::string& trainer) {
    std::string out;
    for (const json& card : summary.at("gpus")) {
        if (card.at("fits") == "no") continue;
        if (!card.at("snippets").is_object() || !card["snippets"].contains(trainer)) continue;
        out += "\n" + kTrainers.at(trainer) + " settings for " +
               card.at("gpu").at("name").get<std::string>() + ":\n\n" +
               card["snippets"][trainer].get<std::string>();
    }
    return out;
}

bool some_fit(const json& summary) {
    return std::ranges::any_of(summary.at("gpus"),
                               [](const json& card) { return card.at("fits") != "no"; });
}

// The flags that usually make a run fit, of those that it does not have.
std::string what_may_fit(const json& training) {
    std::vector<std::string> flags;
    if (training.at("lora_rank") == 0) flags.emplace_back("--lora 16");
    if (training.at("quantization") == "none")
        flags.emplace_back("--quantization nf4 (with --lora)");
    if (training.at("checkpointing") == false) flags.emplace_back("--checkpointing");
    if (flags.empty()) return {};
    return fmt::format("\nThese usually help: {}.", fmt::join(flags, ", "));
}

std::string estimate_text(const CommandContext& context, const EstimateFlags& flags,
                          const json& summary) {
    const bool one = summary.at("gpus").size() == 1;
    auto out = answer_text(summary, table_width(context.terminal));
    if (one || !flags.paste.empty())
        out += to_paste(summary, flags.paste.empty() ? "transformers" : flags.paste);
    if (!some_fit(summary)) {
        out +=
            "\nNothing to paste: the run does not fit. --what-ifs tries changes that free memory." +
            what_may_fit(summary.at("training")) + "\n";
    }
    out += assumptions_text(summary);
    if (flags.details) return out + details_text(summary);
    return out + "\n* modelled, not measured. More: --details" +
           (flags.paste.empty() ? one ? ", --paste pytorch, lightning or deepspeed"
                                      : ", and settings to paste with --paste transformers"
                                : "") +
           "\n";
}

int run_estimate(const CommandContext& context, const EstimateFlags& flags,
                 const CLI::App& command) {
    if (context.json && (flags.details || !flags.paste.empty())) {
        return refuse_input(
            context,
            {Errc::invalid_input, "--json includes everything: omit --details and --paste.", {}});
    }
    if (const auto once = check_settings_once(flags, command); !once)
        return refuse_input(context, once.error());
    auto args = estimate_args(flags);
    if (args) args = with_described_cards(std::move(*args));
    if (!args) return refuse_input(context, args.error());
    const auto request = checked_request(*args);
    if (!request) {
        std::string message;
        for (const auto& error : request.error()) {
            message += (message.empty() ? "" : "\n  ") + place_name(error.pointer, flags, command) +
                       ": " + error.message;
        }
        return refuse_input(context, {Errc::invalid_input, message, {}});
    }
    if (request->probe) {
        return refuse_input(
            context,
            {Errc::invalid_input,
             "Only a job can measure a device: plimsoll submit training-config.", "/probe"});
    }
    auto cards = cards_json(*request);
    if (!cards) return refuse_input(context, cards.error());
    const auto summary = summary_json(*request, std::move(*cards));
    print(context.json ? summary.dump(2) + "\n" : estimate_text(context, flags, summary));
    return context.json || some_fit(summary) ? 0 : 1;
}

}  // namespace

void add_estimate(CLI::App& app, CommandContext& context) {
    const auto flags = std::make_shared<EstimateFlags>();
    auto* command =
        app.add_subcommand("estimate", "Estimate the GPU memory and settings of a training run");
    command->add_option("file", flags->file,
                        "Arguments of a training-config job as .json; flags override them");
    command->add_option("--preset", flags->preset, "Model preset: bert-base, gpt2, llama-8b…");
    command->add_option("--config", flags->config, "A Hugging Face config.json");
    command->add_option("--gpu", flags->gpus,
                        "GPU profile, repeatable, or all (default: $GPU_PROFILE, else rtx_4090)");
    command->add_option("--sequence-length", flags->sequence_length,
                        "Sequence length in tokens or time steps (default: typical for the model)");
    command->add_option("--batch", flags->batch,
                        "Check this batch size instead of recommending one");
    command->add_option(
        "--precision", flags->precision,
        "Precision: auto (default), fp32, bf16_autocast, fp16_autocast, bf16 or fp16");
    command->add_option(
        "--optimizer", flags->optimizer,
        "Optimizer: adamw (default), sgd, sgd_momentum, adafactor, adam_8bit, paged_adamw or "
        "paged_adamw_8bit");
    command
        ->add_option("--lora", flags->lora, "Rank of LoRA adapters; all other weights are frozen")
        ->check(CLI::Range(1, 4096));
    command
        ->add_option("--lora-modules", flags->lora_modules,
                     "Linear layers with adapters, for example q_proj,v_proj,down_proj")
        ->delimiter(',');
    command->add_flag("--dora", flags->dora, "Use DoRA adapters, with a trained magnitude");
    command->add_option(
        "--quantization", flags->quantization,
        "Quantization of the frozen weights, with --lora: nf4, nf4_double (QLoRA) or int8");
    command->add_flag("--checkpointing", flags->checkpointing, "Use gradient checkpointing");
    command->add_option("--attention", flags->attention,
                        "Attention: sdpa (default), eager or flash_attention_2");
    command->add_flag("--packed", flags->packed,
                      "Pack texts one after the other, without padding (decoders)");
    command->add_flag("--fused-loss", flags->fused_loss,
                      "Compute the language model's loss with Liger's fused kernel");
    command->add_option("--target-length", flags->target_length,
                        "Length of an encoder-decoder's targets in tokens (default: the input's)");
    command->add_option(
        "--target-effective-batch", flags->target_effective_batch,
        "Samples per optimizer step (default: the usual value for this kind of training)");
    command
        ->add_option("--goal", flags->goal,
                     "Batch size to recommend: fill (largest that fits, default), knee (smallest "
                     "at near-peak throughput) or guide (the model's guide)")
        ->check(CLI::IsMember({"fill", "knee", "guide"}));
    command->add_option("--safety-margin", flags->safety_margin,
                        "Fraction of the GPU's memory to use (default: 0.85)");
    command->add_flag("--what-ifs", flags->what_ifs, "Also try changes that free memory");
    command->add_flag(
        "--details", flags->details,
        "Also show memory by part, accumulation, learning rate, causes and the guides");
    command
        ->add_option(
            "--paste", flags->paste,
            "Print settings to paste: transformers (default), pytorch, lightning or deepspeed")
        ->check(CLI::IsMember(kTrainers));
    command->add_option("--set", flags->settings,
                        "Set any other argument by its path: workload.epochs=5; repeatable");
    command->callback([flags, command, &context] {
        context.exit_code = run_estimate(context, *flags, *command);
    });
}

}  // namespace plimsoll::jobs::training_config
