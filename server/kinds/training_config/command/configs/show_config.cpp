#include "server/kinds/training_config/command/configs/show_config.hpp"

#include "engine/base/json.hpp"
#include "engine/training/models/presets.hpp"
#include "server/client/hub.hpp"
#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/configs/backups.hpp"
#include "server/kinds/training_config/command/configs/configured_stages.hpp"
#include "server/kinds/training_config/command/configs/run_batch.hpp"
#include "server/kinds/training_config/command/described_cards.hpp"
#include "server/kinds/training_config/command/named_model.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/bytes.hpp"
#include "server/kinds/training_config/contract/configs/configured_run.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plimsoll::jobs::training_config {

namespace {

namespace fs = std::filesystem;

// Reads the files of the run. A folder may contain other files.
Result<std::vector<std::string>> read_files(const ShowRunRequest& request, ConfiguredRun& run) {
    std::vector<std::string> read;
    const auto take = [&](const std::string& file, bool must) -> Result<void> {
        TRY(const auto text, read_config_file(file));
        const auto taken = read_run(text, run, request.without);
        if (taken) read.push_back(file);
        if (!taken && must) return fail(taken.error().code, taken.error().message, file);
        return {};
    };
    for (const auto& path : request.paths) {
        const bool must = !fs::is_directory(path);
        for (const auto& file : config_files(path)) TRY_DO(take(file, must));
    }
    if (read.empty()) {
        return fail(Errc::invalid_input, "None of these files has a known structure.",
                    request.paths.front());
    }
    // Beside the file that names it, or as the library finds it from a project's folder, which is
    // often further up.
    const bool known = std::ranges::find(run.structures, kDeepSpeed) != run.structures.end();
    if (run.deepspeed.empty() || known) return read;
    const fs::path named = run.deepspeed;
    std::vector<fs::path> places = {named};
    for (const auto& file : read) {
        const auto folder = fs::path(file).parent_path();
        places.insert(places.end(), {folder / named, folder / named.filename()});
        for (auto up = fs::absolute(folder / "."); up != up.parent_path(); up = up.parent_path())
            places.push_back(up.parent_path() / named);
    }
    for (const auto& file : places) {
        std::error_code closed;  // a folder above may belong to somebody else
        if (!fs::is_regular_file(file, closed)) continue;
        TRY_DO(take(file.string(), true));
        return read;
    }
    return fail(
        Errc::invalid_input,
        "DeepSpeed's configuration " + run.deepspeed + " is not there: add it to the files.",
        read.front());
}

std::string unknown_of(const ConfiguredRun& run) {
    constexpr std::size_t kMost = 20;
    const auto shown = std::min(run.unknown.size(), kMost);
    return fmt::format("not known, and taken to change nothing: {}{}",
                       fmt::join(run.unknown.begin(), run.unknown.begin() + shown, ", "),
                       shown < run.unknown.size()
                           ? fmt::format(" and {} more", run.unknown.size() - shown)
                           : std::string());
}

Result<void> check_left_out(const ShowRunRequest& request, ConfiguredRun& run) {
    for (const auto& place : request.without)
        if (!run.left_out.contains(place))
            return fail(Errc::invalid_input, "--without " + place + ": no file has this key.");
    if (!run.left_out.empty())
        run.notes.insert(run.notes.begin(),
                         fmt::format("left out, as asked: {}", fmt::join(run.left_out, ", ")));
    return {};
}

// Without an estimate that may be wrong.
Result<void> check_modelled(const ConfiguredRun& run, const GivenArguments& given,
                            const std::string& file) {
    if (!run.preference.empty() && !given.has("--method"))
        return fail(Errc::invalid_input,
                    run.preference +
                        ", which TRL's trainers of preferences read, and the files do not say "
                        "which runs: name it with --method dpo, orpo, kto, grpo or reward.",
                    file);
    std::string reasons, without;
    for (const auto& one : run.unmodelled) {
        if (!one.flag.empty() && given.has(one.flag)) continue;
        reasons += "\n  " + one.text;
        if (!one.place.empty()) without += " --without " + one.place;
    }
    if (reasons.empty()) return {};
    auto message =
        "There is no estimate of this run: settings that are not modelled may change whether it "
        "fits." +
        reasons;
    if (!run.unknown.empty()) message += "\n  " + unknown_of(run);
    if (!without.empty()) message += "\n  For an estimate as if they were not there:" + without;
    return fail(Errc::invalid_input, message, file);
}

// The preset for the name in the file: "google-bert/bert-base-uncased",
// "meta-llama/Meta-Llama-3-8B-Instruct", "microsoft/Phi-3-mini-4k-instruct". Tuning, versions and
// case change no shape that a preset has.
std::string preset_of(const std::string& model) {
    auto name = model.substr(model.rfind('/') + 1);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name.starts_with("meta-")) name.erase(0, 5);
    for (const char* end : {"-2407", "-2501", "-v0.1", "-v0.2", "-v0.3", "-instruct", "-it", "-pt",
                            "-4k", "-uncased", "-hf", "-base"}) {
        if (::plimsoll::training::preset(name)) break;
        if (name.ends_with(end)) name.resize(name.size() - std::string_view(end).size());
    }
    return ::plimsoll::training::preset(name) ? name : std::string();
}

// A model that is neither a preset nor on this machine is not fetched unasked.
Result<void> require_model(json& args, const ConfiguredRun& run) {
    if (args.contains("model")) return {};
    if (run.model.empty())
        return fail(Errc::invalid_input, "The files do not name a model: name it with --model.");
    const auto preset = preset_of(run.model);
    auto model =
        preset.empty() ? named_model(run.model, false) : Result<json>(json{{"preset", preset}});
    if (!model && model.error().code != Errc::not_found) return fail(model.error());
    if (!model)
        return fail(
            Errc::invalid_input,
            "The model " + run.model + " is neither a preset nor on this machine: " +
                (client::is_repository(run.model)
                     ? "give --model " + run.model + " to fetch its config.json, or --config."
                     : "give its config.json by --config, a model of the same shape by "
                       "--model OWNER/NAME, or its dimensions by --set "
                       "'model.dimensions={\"family\":\"llama\",…}'."));
    args["model"] = std::move(*model);
    return {};
}

// The arguments of the run that the files and the flags describe.
Result<json> run_arguments(const ShowRunRequest& request, ConfiguredRun& run,
                           const std::string& file) {
    json read = request.args;
    read["what_ifs"] = false;
    read["training"] = run.training;
    if (!run.cluster.is_null()) read["cluster"] = run.cluster;
    TRY(auto args, request.given.on_top_of(std::move(read)));
    TRY_DO(require_model(args, run));
    match_adapters(args, run, request.given.has("--lora-modules"));
    TRY(args, with_described_cards(std::move(args)));
    if (args.contains("cluster") && args["cluster"].is_object() && !run.shards_by.empty())
        args["cluster"].emplace("sharding", run.shards_by);
    settle_all_samples(args, run);
    if (args.at("training").contains("batch")) return args;
    return fail(Errc::invalid_input,
                "The files do not set a batch size: add the file that does, such as the trainer's "
                "arguments, or give --batch.",
                file);
}

// A copy of the model whose layers FSDP gathers in turn.
void layer_reference(json& args) {
    const json cluster = args.value("cluster", json());
    json& training = args["training"];
    const auto method = training.value("method", "");
    const bool compares = method == "dpo" || method == "kto" || method == "grpo";
    const bool sharded = cluster.is_object() && cluster.value("cards", 1) > 1 &&
                         cluster.value("sharding", "").starts_with("fsdp");
    if (compares && sharded && !training.contains("lora") &&
        training.value("reference", "model") == "model")
        training["reference"] = "by_layer";
}

// torchtitan gathers weights in 16 bits only where it shards them, and has no autocast on divided
// ones.
void keep_type_of_divided(json& args, ConfiguredRun& run) {
    const json cluster = args.value("cluster", json());
    if (!cluster.is_object() || !run.gathers_in_half || cluster.value("tensor_parallel", 1) == 1)
        return;
    const auto sharers = cards_of(args) / cluster.value("tensor_parallel", std::int64_t{1}) /
                         cluster.value("pipeline_parallel", std::int64_t{1});
    json& precision = args["training"]["precision"];
    if (sharers > 1 || precision != "bf16_autocast") return;
    precision = "fp32";
    args["cluster"].erase("fp32_reduce");
    run.notes.emplace_back(
        "without further GPUs that share its shards, torchtitan computes divided weights in fp32");
}

std::string advice(const json& card) {
    const auto fits = card.at("fits").get<std::string>();
    const std::int64_t largest = card.at("max_batch");
    if (largest == 0) return card.at("why").get<std::string>();
    if (fits == "no" || fits == "tight") return fmt::format("lower the batch to {}", largest);
    if (card.at("memory").at("utilization_percent") < 60 && largest > card.at("batch"))
        return fmt::format("underused: a batch of {} fits", largest);
    return "well used";
}

}  // namespace

Result<ConfiguredRequest> configured_request(const ShowRunRequest& request) {
    ConfiguredRun run;
    TRY(auto files, read_files(request, run));
    TRY_DO(check_left_out(request, run));
    TRY_DO(check_modelled(run, request.given, files.front()));
    TRY(auto args, run_arguments(request, run, files.front()));
    if (run.layers_reference) layer_reference(args);
    keep_type_of_divided(args, run);
    const json cluster = args.value("cluster", json());
    const bool launched = cluster.is_null() && !run.shards_by.empty();  // only a launcher counts
    if (launched || (cluster.is_object() && !cluster.contains("cards"))) {
        if (cluster.contains("offload") && cluster.value("sharding", "").starts_with("fsdp"))
            return fail(Errc::invalid_input,
                        "The files offload what FSDP shards, and do not say over how many GPUs: "
                        "give --cards.",
                        files.front());
        if (const auto divided = divided_among(args); divided > 1)
            return fail(Errc::invalid_input,
                        fmt::format("The files divide the model among {} GPUs, and do not say how "
                                    "many train further copies: give --cards.",
                                    divided),
                        files.front());
        run.notes.emplace_back(
            "the files do not set the number of GPUs: 1 is assumed (change it with --cards)");
    }
    if (cluster.is_object() && cluster.value("sharding", "") == "ddp" &&
        cluster.value("cards", 1) <= 1) {
        args.erase("cluster");
    }
    if (!args.contains("target_effective_batch"))
        args["target_effective_batch"] = effective_batch(args, run);
    auto checked = checked_run(args);
    if (!checked) return fail(request.given.in_sources(checked.error(), files.front()));
    return ConfiguredRequest{std::move(files), std::move(run), std::move(args),
                             std::move(*checked)};
}

Result<Answer> show_run(const ShowRunRequest& request) {
    TRY(auto read, configured_request(request));
    auto& [files, run, args, checked] = read;
    const json& training = args.at("training");
    const json cluster = args.value("cluster", json());
    const auto cards = cards_of(args);
    const std::int64_t batch = training.at("batch");
    TRY(const auto card, card_json(checked, 0));
    auto summary = summary_json(checked, json::array({card}));
    const json& memory = card.at("memory");
    auto first = run.notes;  // what is not modelled is said before the figures
    for (const json& limit : summary.at("limits")) first.push_back(limit.get<std::string>());
    if (!run.unknown.empty()) first.push_back(unknown_of(run));
    std::vector<std::string> assumptions;
    for (const json& assumed : summary.at("assumptions")) {
        // The files' rate is theirs; what is assumed is the base of the advice.
        if (assumed.at("pointer").get<std::string>().starts_with("/learning_rate/")) continue;
        assumptions.push_back(fmt::format("{} is not in the files: {} is assumed, {}",
                                          dotted(assumed.at("pointer").get<std::string>()),
                                          assumed.at("value").get<std::string>(),
                                          assumed.at("why").get<std::string>()));
    }
    auto notes = first;
    notes.insert(notes.end(), assumptions.begin(), assumptions.end());
    Answer out;
    out.value = {{"files", files},
                 {"structures", run.structures},
                 {"model", summary.at("model").at("name")},
                 {"training", summary.at("training")},
                 {"cluster", cluster},
                 {"batch", batch},
                 {"accumulation", run.accumulation},
                 {"effective_batch", effective_batch(args, run)},
                 {"gpu", card.at("gpu").at("id")},
                 {"device_used_bytes", memory.at("device_used_bytes")},
                 {"utilization_percent", memory.at("utilization_percent")},
                 {"fits", card.at("fits")},
                 {"max_batch", card.at("max_batch")},
                 {"learning_rate", card.at("learning_rate")},
                 {"advice", advice(card)},
                 {"notes", notes},
                 {"basis", summary.at("bases").at(0).at("why")},
                 {"unknown", run.unknown}};
    out.text = fmt::format(
        "{} ({})\n"
        "{}: batch {} x {} on {} GPU{}, effective {}; {} tokens or time steps, {}, {}{}\n"
        "{}"
        "{}: {}, {:.0f} % (fits: {}); the largest batch is {}\n"
        "  {}\n",
        fmt::join(files, ", "), fmt::join(run.structures, ", "),
        out.value["model"].get<std::string>(), batch, run.accumulation, cards,
        cards == 1 ? "" : "s", effective_batch(args, run),
        summary["training"]["sequence_length"].get<int>(), card.at("precision").get<std::string>(),
        summary["training"]["optimizer"].get<std::string>(),
        training.value("method", "supervised") == "supervised"
            ? std::string()
            : ", " + training.at("method").get<std::string>(),
        first.empty() ? "" : fmt::format("  {}\n", fmt::join(first, "\n  ")),
        card.at("gpu").at("name").get<std::string>(), gib_text(memory.at("device_used_bytes")),
        memory.at("utilization_percent").get<double>(), card.at("fits").get<std::string>(),
        card.at("max_batch").get<std::int64_t>(), advice(card));
    assumptions.push_back("memory: " + out.value["basis"].get<std::string>());
    for (const auto& line : assumptions) out.text += "  " + line + "\n";
    return out;
}

namespace {

// The layout of the NAICS memory guide, whose model is known; any other run names its model.
bool has_stages(const ShowRunRequest& request) {
    return request.paths.size() == 1 && !request.given.has("--preset") &&
           !request.given.has("--config") && !request.given.has("--model") &&
           std::filesystem::is_directory(request.paths.front());
}

Result<Answer> show(const ShowRunRequest& request) {
    if (!has_stages(request)) return show_run(request);
    const auto flag =
        request.without.empty() ? request.given.other_than({"--gpu"}) : std::string("--without");
    if (!flag.empty())
        return fail(Errc::invalid_input,
                    flag + " has no effect: the guide's stages are fixed, and use one GPU.");
    TRY(const auto profile, profile_or_default(request.given.value("--gpu")));
    TRY(const auto stages, read_stages(request.paths.front()));
    return show_stages(stages, profile);
}

}  // namespace

void add_show_config(CLI::App& app, CommandContext& context) {
    const auto request = std::make_shared<ShowRunRequest>();
    auto* command = app.add_subcommand("show-config",
                                       "Estimate the memory of a run from its configuration files");
    command
        ->add_option("paths", request->paths,
                     "Files of one run: Transformers, TRL, LLaMA-Factory, Accelerate, DeepSpeed, "
                     "Lightning, axolotl, torchtune or torchtitan; or a folder with config.yaml "
                     "and the stages of the NAICS guide")
        ->required();
    add_run_options(*command, *request);
    command->callback([request, &context] { answer(context, show(*request)); });
}

void add_run_options(CLI::App& command, ShowRunRequest& request) {
    request.given.add_flags(command);
    request.given.add_set(command);
    command
        .add_option("--without", request.without,
                    "Estimate the run without this key of the files (fsdp_config.version); "
                    "repeatable")
        ->allow_extra_args(false);
}  // namespace

}  // namespace plimsoll::jobs::training_config
