#include "engine/base/json.hpp"
#include "engine/training/models/parameters.hpp"
#include "server/kinds/training_config/contract/configs/structures/reader.hpp"
#include "server/kinds/training_config/contract/request.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

// What is tuned, and by what: length, adapters and quantization by the names of peft, TRL and
// LLaMA-Factory; optimizers by those of transformers and axolotl, and of the classes of PyTorch,
// bitsandbytes and torchao.
namespace plimsoll::jobs::training_config {
namespace {

// Mappings in which projects keep their adapters and quantization, as peft, TRL and LLaMA-Factory
// name them.
std::vector<Path> around_adapters(const Path& around) {
    std::vector<Path> all = {around};
    if (!around.empty()) all.push_back({});
    for (const char* name : {"lora", "peft", "lora_config", "peft_config", "model", "quantization",
                             "quantization_config", "bnb_config"}) {
        all.push_back({name});
        if (!around.empty()) all.push_back(joined(around, name));
    }
    return all;
}

// The linear layers of a decoder whose whole names match a pattern, as peft matches it, or why they
// cannot be told. Patterns come from others: one that could take long is not tried.
Result<std::vector<std::string>> layers_matching(const std::string& text) {
    constexpr std::size_t kMaxBytes = 400;
    constexpr std::array kLayers = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                                    "self_attn.o_proj", "mlp.gate_proj",    "mlp.up_proj",
                                    "mlp.down_proj"};
    constexpr std::array kRoots = {"model.layers.", "model.language_model.layers.",
                                   "language_model.model.layers.", "language_model.layers."};
    const auto unknown = [] {
        return fail(Errc::invalid_input, "this pattern of names is not modelled: list the layers");
    };
    if (text.size() > kMaxBytes || text.find_first_of("{}") != text.npos) return unknown();
    std::vector<std::string> matching;
    try {
        // The implementation whose time grows with pattern and name alone.
        const std::regex pattern(text, std::regex::ECMAScript | std::regex_constants::__polynomial);
        for (const std::string_view layer : kLayers) {
            bool matches = false;
            for (const char* root : kRoots) {
                int found = 0;
                for (const char* at : {"0.", "1.", "2.", "7.", "10.", "21.", "33.", "70."})
                    found += std::regex_match(root + (at + std::string(layer)), pattern) ? 1 : 0;
                if (found != 0 && found != 8)
                    return fail(Errc::invalid_input,
                                "adapters on some layers only are not modelled");
                matches = matches || found != 0;
            }
            if (matches) matching.emplace_back(layer.substr(layer.find('.') + 1));
        }
    } catch (const std::regex_error&) {
        return unknown();
    }
    if (matching.empty()) return unknown();
    if (matching.size() == kLayers.size()) matching = {"all-linear"};
    return matching;
}

// LLaMA-Factory puts commas between names.
std::vector<std::string> names_in(std::string text) {
    std::ranges::replace(text, ',', ' ');
    std::vector<std::string> names;
    each_word(text, [&](std::string_view name) { names.emplace_back(name); });
    return names;
}

// What peft trains whole, by the last parts of its names.
void read_whole(Reader& reader, const Path& place, json& lora) {
    std::vector<std::string> names;
    const auto node = reader.node(place);
    if (node.IsDefined() && node.IsScalar()) names = names_in(node.Scalar());
    if (node.IsDefined() && node.IsSequence())
        for (const auto& one : node)
            if (one.IsScalar()) names.push_back(one.Scalar());
    if (names.empty() || has_word("null None ~", names.front())) return;
    for (auto& name : names) name.erase(0, name.rfind('.') + 1);
    lora["modules_to_save"] = names;
    reader.run.places["lora.modules_to_save"] = place_of(place);
}

void read_targets(Reader& reader, const Path& place, json& lora) {
    const auto node = reader.node(place);
    std::vector<std::string> names;
    if (node.IsDefined() && node.IsSequence()) {
        for (const auto& one : node)
            if (one.IsScalar()) names.push_back(one.Scalar());
    } else if (node.IsDefined() && node.IsScalar() &&
               node.Scalar().find_first_of("()[]|*\\.^$") != std::string::npos) {
        auto matching = layers_matching(node.Scalar());
        if (!matching) return reader.unmodelled(place, matching.error().message);
        names = std::move(*matching);
    } else if (node.IsDefined() && node.IsScalar()) {
        names = names_in(node.Scalar());
    }
    if (names.empty() || names.front() == "null") return;
    reader.run.places["lora.targets"] = place_of(place);
    if (names.front() == "all" || names.front() == "all-linear")
        lora["targets"] = "all_linear";
    else
        lora["modules"] = names;
}

enum class State {
    same,   // as that of `as`
    like,   // as large, by kernels of its own
    below,  // at most that
    above,  // more than that
};

struct Known {
    const char* as;  // as the contract names it
    State state;
};

const std::map<std::string, Known, std::less<>>& known_optimizers() {
    static const auto all = [] {
        std::map<std::string, Known, std::less<>> known;
        const auto add = [&](const char* as, State state, std::string_view names) {
            each_word(names, [&](std::string_view name) {
                known.emplace(std::string(name), Known{as, state});
            });
        };
        add("adamw", State::same, "adamw adam adamw_torch adamw_torch_fused");
        add("sgd", State::same, "sgd");
        add("adafactor", State::same, "adafactor");
        add("adam_8bit", State::same,
            "adamw8bit adam8bit adamw_8bit adamw_bnb_8bit adamw_torch_8bit ao_adamw_8bit");
        add("paged_adamw", State::same, "pagedadamw pagedadamw32bit paged_adamw paged_adamw_32bit");
        add("paged_adamw_8bit", State::same, "pagedadamw8bit paged_adamw_8bit");
        add("adamw", State::like,
            "optimi_adamw adopt_adamw stable_adamw schedule_free_adamw schedule_free_radam "
            "adamw_torch_xla adamw_torch_npu_fused");
        add("adam_8bit", State::below,
            "adamw_torch_4bit ao_adamw_4bit adamw4bit adam4bit ao_adamw_fp8 adamwfp8 lion_8bit "
            "rmsprop_bnb_8bit galore_adamw_8bit galore_adamw_8bit_layerwise q_galore_adamw8bit");
        add("paged_adamw_8bit", State::below, "paged_lion_8bit");
        add("paged_adamw", State::below, "paged_lion_32bit");
        add("adamw", State::below,
            "lion lion_32bit rmsprop rmsprop_bnb rmsprop_bnb_32bit adagrad muon dion came_pytorch "
            "sinkgd adamw_anyprecision schedule_free_sgd galore_adamw galore_adafactor "
            "galore_adamw_layerwise galore_adafactor_layerwise apollo_adamw "
            "apollo_adamw_layerwise lomo adalomo flash_adamw flash_adam flash_sgd flash_sgdw "
            "flash_lion");
        add("adamw", State::above,
            "ademamix ademamix_8bit paged_ademamix_32bit paged_ademamix_8bit grokadamw");
        return known;
    }();
    return all;
}

void type_trained(json& args, const ::plimsoll::training::ModelShape& shape, ConfiguredRun& run) {
    json& training = args["training"];
    const json cluster = args.value("cluster", json());
    const auto sharding = cluster.is_object() ? cluster.value("sharding", "none") : "none";
    const auto precision = training.value("precision", "auto");
    const bool packed = training.value("quantization", "none") != "none";
    const bool half = precision == "bf16" || precision == "fp16" ||
                      (precision == "auto" && shape.stored_half && !packed);
    const bool applies = run.trained_type == "all_bf16"
                             ? packed
                             : half && training["lora"].contains("modules_to_save");
    if (sharding != "none" && sharding != "ddp") return;
    if (!run.trained_type.empty() && applies) training["lora"].emplace("dtype", run.trained_type);
    if (!packed || !shape.has_experts() ||
        std::ranges::count(run.structures, "axolotl configuration") == 0)
        return;
    training["precision"] = "bf16_autocast";
    training.erase("fused_adapters");
    run.notes.emplace_back(
        "axolotl widens what is not packed, all experts, to fp32 "
        "(prepare_model_for_kbit_training)");
}

}  // namespace

void read_adapted_run(Reader& reader, const Path& around, std::int64_t library_rank) {
    auto& run = reader.run;
    const auto places = around_adapters(around);
    const auto note = [&](const char* name, const Path& place) {
        if (has(reader.root, place)) run.places[name] = place_of(place);
    };
    for (const char* name :
         {"max_seq_length", "max_length", "model_max_length", "cutoff_len", "block_size"}) {
        for (const Path& mapping : {around, Path{}}) {
            const auto place = joined(mapping, name);
            const auto length = reader.value(place, 0);
            if (length <= 0) continue;
            run.training["sequence_length"] = length;
            note("sequence_length", place);
        }
    }
    Path place;
    auto rank = library_rank;
    for (const auto& mapping : places) {
        for (const char* name : {"lora_r", "lora_rank", "r"}) {
            // A bare "r" is a rank only where adapters are configured.
            const bool own = !mapping.empty() && mapping != around;
            if (std::string_view(name) == "r" && !own) continue;
            if (own && !reader.value(joined(mapping, "enabled"), true)) continue;
            const auto found = reader.value(joined(mapping, name), std::int64_t{0});
            if (found < 1 || !place.empty()) continue;
            rank = found;
            place = joined(mapping, name);
        }
    }
    json lora = {{"rank", rank}};
    read_whole(
        reader,
        reader.first_of(places, {"modules_to_save", "lora_modules_to_save", "additional_target"}),
        lora);
    if (library_rank >= 0 && rank > 0) {
        run.places["lora.rank"] = place.empty() ? "the library's own rank" : place_of(place);
        const auto dora = reader.first_of(places, {"use_dora"});
        if (reader.value(dora, false)) lora["dora"] = true;
        note("lora.dora", dora);
        lora["dropout"] = reader.value(reader.first_of(places, {"lora_dropout"}), 0.0);
        read_targets(
            reader,
            reader.first_of(places, {"target_modules", "lora_target_modules", "lora_target"}),
            lora);
        run.training["lora"] = lora;
    }
    const auto eight = reader.first_of(places, {"load_in_8bit"});
    const auto four = reader.first_of(places, {"load_in_4bit"});
    const auto bits = reader.first_of(places, {"quantization_bit"});
    // LLaMA-Factory quantizes the constants, too, unless the file forbids it.
    const bool twice = reader.value(
        reader.first_of(
            places, {"bnb_4bit_use_double_quant", "use_bnb_nested_quant", "double_quantization"}),
        has(reader.root, bits));
    const auto count = reader.value(bits, std::int64_t{0});
    const auto quantize = [&](const char* as, const Path& by) {
        run.training["quantization"] = as;
        note("quantization", by);
    };
    if (reader.value(eight, false)) quantize("int8", eight);
    if (count == 8) quantize("int8", bits);
    if (reader.value(four, false)) quantize(twice ? "nf4_double" : "nf4", four);
    if (count == 4) quantize(twice ? "nf4_double" : "nf4", bits);
    if (count != 0 && count != 4 && count != 8)
        reader.unmodelled(bits, "only 4 and 8 bits are modelled");
    for (const auto& mapping : places) {
        if (mapping.empty() || mapping == around || mapping.back() == "model") continue;
        reader.node(mapping);
        reader.name_rest(mapping, {"peft"});
    }
}

void read_optimizer(Reader& in, const Path& place, const std::string& name) {
    auto lower = name.substr(name.rfind('.') + 1);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto& all = known_optimizers();
    const auto found = all.find(lower);
    if (found == all.end())
        return in.unmodelled(place, "this optimizer is not modelled: name one with --optimizer",
                             "--optimizer");
    const auto& [as, state] = found->second;
    const std::string flag = std::string("--optimizer ") + as;
    in.run.training["optimizer"] = as;
    if (lower == "adamw_torch") in.run.training["optimizer_kernel"] = "foreach";
    // Of adapters, even a larger state is small beside the frozen weights.
    const bool adapts = in.run.training.contains("lora");
    if (state == State::like)
        in.run.notes.push_back(name + " is estimated as " + as + ", whose state is as large");
    else if (state == State::below && adapts)
        in.run.notes.push_back(name + " is estimated as " + as +
                               ", whose state of the adapters is at least as large");
    else if (state == State::below)
        in.unmodelled(place,
                      "this optimizer is not modelled; its state is at most that of " + flag +
                          ", which gives an upper limit",
                      "--optimizer");
    else if (state == State::above)
        in.unmodelled(place,
                      "this optimizer is not modelled; its state is larger than that of " + flag +
                          ", which gives a lower limit",
                      "--optimizer");
}

void match_adapters(json& args, ConfiguredRun& run, bool named) {
    if (!args["training"].contains("lora")) return;
    FieldErrors errors;
    const auto shape = parse_model(args.at("model"), errors);
    if (!errors.empty()) return;  // which are reported with the others
    type_trained(args, shape, run);
    if (named || !args["training"]["lora"].contains("modules")) return;
    const auto known = ::plimsoll::training::linear_layers(shape);
    std::vector<std::string> matching, others;
    for (const json& module : args["training"]["lora"]["modules"]) {
        const auto name = module.get<std::string>();
        auto last = name.substr(name.rfind('.') + 1);
        const bool has_it = std::ranges::find(known, last) != known.end();
        auto& list = has_it ? matching : others;
        if (std::ranges::find(list, last) == list.end()) list.push_back(has_it ? last : name);
    }
    const auto adapts_ends = [](const std::string& name) {
        return has_word("lm_head embed_tokens embed_out wte embed_in", name);
    };
    if (matching.empty() || std::ranges::any_of(others, adapts_ends)) return;
    args["training"]["lora"]["modules"] = matching;
    if (!others.empty())
        run.notes.push_back(
            fmt::format("adapters on {}: the model has no such layers, which peft "
                        "passes over",
                        fmt::join(others, ", ")));
}

}  // namespace plimsoll::jobs::training_config
