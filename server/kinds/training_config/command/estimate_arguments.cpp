#include "server/kinds/training_config/command/estimate_arguments.hpp"

#include "server/http/contract/contract.hpp"
#include "server/http/contract/contract_text.hpp"
#include "server/terminal/assignment.hpp"

#include <fstream>
#include <sstream>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

Result<json> read_json(const std::string& path) {
    std::ifstream file(path);
    if (!file) return fail(Errc::not_found, "The file cannot be read.", path);
    std::stringstream text;
    text << file.rdbuf();
    auto value = json::parse(text.str(), nullptr, false);
    if (value.is_discarded()) return fail(Errc::invalid_input, "The file is not JSON.", path);
    if (!value.is_object())
        return fail(Errc::invalid_input, "The file must hold a JSON object.", path);
    return value;
}

template <class Value>
void put(json& args, const char* group, const char* member, const std::optional<Value>& value) {
    if (!value) return;
    (group == nullptr ? args : args[group])[member] = *value;
}

}  // namespace

Result<json> estimate_args(const EstimateFlags& flags) {
    json args = json::object();
    if (!flags.preset.empty() && !flags.config.empty()) {
        return fail(Errc::invalid_input, "Give either --preset or --config, not both.");
    }
    if (!flags.file.empty()) {
        auto read = read_json(flags.file);
        if (!read) return fail(read.error());
        args = std::move(*read);
    }
    if (!flags.preset.empty()) args["model"] = {{"preset", flags.preset}};
    if (!flags.config.empty()) {
        auto config = read_json(flags.config);
        if (!config) return fail(config.error());
        args["model"] = {{"config", std::move(*config)}};
    }
    if (!flags.gpus.empty()) args["gpus"] = flags.gpus;
    put(args, "training", "sequence_length", flags.sequence_length);
    put(args, "training", "batch", flags.batch);
    if (!flags.precision.empty()) args["training"]["precision"] = flags.precision;
    if (!flags.optimizer.empty()) args["training"]["optimizer"] = flags.optimizer;
    if (flags.lora) args["training"]["lora"]["rank"] = *flags.lora;
    if (!flags.lora_modules.empty()) args["training"]["lora"]["modules"] = flags.lora_modules;
    if (!flags.quantization.empty()) args["training"]["quantization"] = flags.quantization;
    if (flags.dora) args["training"]["lora"]["dora"] = true;
    if (!flags.attention.empty()) args["training"]["attention"] = flags.attention;
    if (flags.packed) args["training"]["packed"] = true;
    if (flags.fused_loss) args["training"]["fused_loss"] = true;
    put(args, "training", "target_length", flags.target_length);
    if (flags.checkpointing) args["training"]["checkpointing"] = true;
    put(args, nullptr, "target_effective_batch", flags.target_effective_batch);
    if (!flags.goal.empty()) args["goal"] = flags.goal;
    put(args, nullptr, "safety_margin", flags.safety_margin);
    if (flags.what_ifs || !args.contains("what_ifs")) args["what_ifs"] = flags.what_ifs;
    for (const auto& setting : flags.settings) {
        if (auto ok = terminal::assign(args, setting); !ok) return fail(ok.error());
    }
    if (!args.contains("model")) {
        return fail(Errc::invalid_input,
                    "Name a model: --preset, --config or a file of arguments.");
    }
    return args;
}

namespace {

FieldErrors schema_errors(const json& args) {
    const http::Contract contract(http::contract_json());
    const json spec = {{"kind", "training-config"}, {"args", args}};
    FieldErrors errors;
    for (const auto& violation : contract.find("createEstimate")->body->check(spec)) {
        // The place within the arguments, as everywhere on the command line.
        errors.push_back({violation.pointer.substr(std::string_view("/args").size()), "schema",
                          violation.message});
    }
    return errors;
}

}  // namespace

tl::expected<Request, FieldErrors> checked_request(const json& args) {
    if (auto errors = schema_errors(args); !errors.empty())
        return tl::unexpected(std::move(errors));
    return accept_request(args);
}

tl::expected<Request, FieldErrors> checked_run(const json& args) {
    if (auto errors = schema_errors(args); !errors.empty())
        return tl::unexpected(std::move(errors));
    return parse_request(args);
}

}  // namespace plimsoll::jobs::training_config
