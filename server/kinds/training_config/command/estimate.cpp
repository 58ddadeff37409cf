#include "engine/base/json.hpp"
#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/described_cards.hpp"
#include "server/kinds/training_config/command/summary_text.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/options.hpp"
#include "server/terminal/terminal.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

struct EstimateInput {
    EstimateRequest request;
    bool details = false;
    std::string paste;  // a trainer; empty: transformers, for one card
};

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

// The changes with which it fits, as flags.
std::string ways_out(const json& card) {
    std::string out;
    if (const json& largest = card.at("max_batch"); largest > 0)
        out += fmt::format("\n  --batch {}", largest.dump());
    for (const json& what : card.at("what_ifs")) {
        const json& most = what.at("max_batch");
        if (most <= card.at("max_batch")) continue;
        std::string flags;
        const auto places = what.at("arguments").flatten();
        for (const auto& [pointer, value] : places.items()) flags += " " + as_flag(pointer, value);
        if (most < card.at("batch")) flags += " --batch " + most.dump();
        if (!what.at("arguments").empty())
            out += fmt::format("\n {}  (largest batch {})", flags, what.at("max_batch").dump());
    }
    return out.empty() ? "No change of the settings that was tried makes it fit."
                       : "It fits with:" + out;
}

std::string estimate_text(const CommandContext& context, const EstimateInput& input,
                          const json& summary) {
    const bool one = summary.at("gpus").size() == 1;
    auto out = answer_text(summary, table_width(context.terminal));
    if (one || !input.paste.empty())
        out += to_paste(summary, input.paste.empty() ? "transformers" : input.paste);
    if (!some_fit(summary)) {
        out += "\nNothing to paste: the run does not fit. " +
               (one ? ways_out(summary.at("gpus").at(0))
                    : "--what-ifs tries changes that free memory.") +
               "\n";
    }
    out += assumptions_text(summary);
    if (input.details) return out + details_text(summary);
    return out + "\nMemory: " + summary.at("bases")[0].at("why").get<std::string>() +
           "\nTo check it on your GPU, in Python: plimsoll.training.probe(step)" +
           "\n* modelled, not measured. More: --details" +
           (input.paste.empty() ? one ? ", --paste pytorch, lightning or deepspeed"
                                      : ", and settings to paste with --paste transformers"
                                : "") +
           "\n";
}

Result<json> arguments_of(const EstimateRequest& request) {
    json args = request.args;
    if (!request.file.empty()) {
        TRY(args, read_json(request.file));
    }
    args.emplace("what_ifs", false);
    TRY(args, request.given.on_top_of(std::move(args)));
    if (!args.contains("model"))
        return fail(Errc::invalid_input,
                    "Name a model: --model, --preset, --config or a file of arguments.");
    return with_described_cards(std::move(args));
}

int run_estimate(const CommandContext& context, const EstimateInput& input) {
    if (context.json && (input.details || !input.paste.empty())) {
        return refuse_input(
            context,
            {Errc::invalid_input, "--json includes everything: omit --details and --paste.", {}});
    }
    const auto summary = estimated(input.request);
    if (!summary) return refuse_input(context, summary.error());
    print(context.json ? summary->dump(2) + "\n" : estimate_text(context, input, *summary));
    return context.json || some_fit(*summary) ? 0 : 1;
}

}  // namespace

Result<Request> requested(const EstimateRequest& request) {
    TRY(const auto args, arguments_of(request));
    auto checked = checked_request(args);
    if (!checked) return fail(request.given.in_sources(checked.error(), request.file));
    return *std::move(checked);
}

Result<json> estimated(const EstimateRequest& request) {
    TRY(const auto checked, requested(request));
    if (checked.probe)
        return fail(Errc::invalid_input,
                    "Only a job can measure a device: plimsoll submit training-config.", "/probe");
    auto cards = cards_json(checked);
    if (!cards) {
        const auto& error = cards.error();
        return fail(request.given.in_sources({{pointer_of(error.where), "invalid", error.message}},
                                             request.file));
    }
    return summary_json(checked, std::move(*cards));
}

void add_estimate(CLI::App& app, CommandContext& context) {
    const auto input = std::make_shared<EstimateInput>();
    auto* command =
        app.add_subcommand("estimate", "Estimate the GPU memory and settings of a training run");
    command->add_option("file", input->request.file,
                        "Arguments of a training-config job as .json; flags override them");
    input->request.given.add_flags(*command);
    // None is the default.
    command->get_option("--lora")->check(CLI::Range(1, 4096));
    command->add_flag(
        "--details", input->details,
        "Also show memory by part, accumulation, learning rate, causes and the guides");
    command
        ->add_option(
            "--paste", input->paste,
            "Print settings to paste: transformers (default), pytorch, lightning or deepspeed")
        ->check(CLI::IsMember(kTrainers));
    input->request.given.add_set(*command);
    command->callback([input, &context] { context.exit_code = run_estimate(context, *input); });
}

}  // namespace plimsoll::jobs::training_config
