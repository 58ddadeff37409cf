#include "server/kinds/training_config/contract/configs/structures/reader.hpp"

#include "engine/base/json.hpp"
#include "server/kinds/training_config/contract/configs/structures/planner.hpp"

#include <algorithm>
#include <charconv>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plimsoll::jobs::training_config {
namespace {

constexpr double kMaxBucket = 1e11;  // elements
constexpr std::string_view kNothing =
    "null Null NULL ~ none None NONE false False no No 0 0.0 auto";

template <class Use>
void each_word(std::string_view words, const Use& use) {
    while (!words.empty()) {
        const auto end = std::min(words.find(' '), words.size());
        if (end > 0) use(words.substr(0, end));
        words.remove_prefix(std::min(end + 1, words.size()));
    }
}

bool is_harmless(const YAML::Node& node, std::string_view harmless) {
    if (!node.IsScalar()) return node.IsNull() || node.size() == 0;
    const auto& value = node.Scalar();
    // What is on by default weighs if it is off.
    const bool turned_off = has_word(harmless, "true") && has_word("false False no No 0", value);
    if (turned_off) return false;
    if (value.empty() || has_word(kNothing, value) || has_word(harmless, value)) return true;
    double number = 0, max = 0;
    if (!YAML::convert<double>::decode(node, number)) return false;
    bool within = false;
    each_word(harmless, [&](std::string_view word) {
        if (!word.starts_with("<=")) return;
        std::from_chars(word.data() + 2, word.data() + word.size(), max);
        within = number <= max;
    });
    return within;
}

std::string shown(const YAML::Node& node) {
    constexpr std::size_t kMaxBytes = 60;
    return node.IsDefined() && node.IsScalar() ? node.Scalar().substr(0, kMaxBytes) : "set";
}

bool holds(std::string_view words, const std::string& mapping) {
    const auto member = mapping + ".";
    bool found = false;
    each_word(words, [&](std::string_view word) { found = found || word.starts_with(member); });
    return found;
}

bool knows_members_of(const std::string& mapping, const std::vector<const KnownKeys*>& libraries) {
    return std::ranges::any_of(libraries, [&](const KnownKeys* library) {
        return holds(library->harmless, mapping) ||
               std::ranges::any_of(library->weighing, [&](const WeighingKeys& row) {
                   return holds(row.keys, mapping);
               });
    });
}

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
    } else if (node.IsDefined() && node.IsScalar()) {  // LLaMA-Factory: names with commas between
        auto text = node.Scalar();
        std::ranges::replace(text, ',', ' ');
        each_word(text, [&](std::string_view name) { names.emplace_back(name); });
    }
    if (names.empty() || names.front() == "null") return;
    reader.run.places["lora.targets"] = place_of(place);
    if (names.front() == "all" || names.front() == "all-linear")
        lora["targets"] = "all_linear";
    else
        lora["modules"] = names;
}

}  // namespace

bool has_word(std::string_view words, std::string_view word) {
    bool found = false;
    each_word(words, [&](std::string_view one) { found = found || one == word; });
    return found;
}

YAML::Node Reader::node(const Path& path) {
    read_.insert(path);
    return at(root, path);
}

std::string Reader::word(const Path& path, std::string otherwise) {
    const auto found = node(path);
    return found.IsDefined() && found.IsScalar() ? found.Scalar() : otherwise;
}

Path Reader::first_of(std::span<const Path> mappings, std::initializer_list<const char*> names) {
    Path path;
    for (const auto& mapping : mappings) {
        for (const char* name : names) {
            path = joined(mapping, name);
            if (has(root, path)) return path;
        }
    }
    return path;
}

void Reader::batch(const Path& path, std::int64_t otherwise) {
    if (const auto found = value(path, otherwise); found > 0) run.training["batch"] = found;
}

void Reader::accumulation(const Path& path) {
    run.accumulation = value(path, run.accumulation);
    if (const auto found = at(root, path); found.IsDefined() && found.size() > 0)
        unmodelled(path, "accumulation that changes while training is not modelled");
}

void Reader::precision(const std::string& mixed) {
    auto& training = run.training;
    const auto own = training.value("precision", "");
    if (mixed == "no") training.emplace("precision", "fp32");
    if (mixed != "bf16" && mixed != "fp16") return;
    if (own.empty() || own == mixed + "_autocast")
        training["precision"] = mixed + "_autocast";
    else if (own == "fp32")  // arguments that say nothing; the checkpoint's type stays
        training["precision"] = mixed == "bf16" ? "auto" : "fp16_autocast";
}

void Reader::attention(const std::string& kind) {
    // FlashAttention-3 keeps the same, and kernels have names of their own.
    const bool flash = kind.find("flash") != std::string::npos;
    if (flash || kind == "eager") run.training["attention"] = flash ? "flash_attention_2" : kind;
    if (!has_word("flash_attention_2 eager sdpa null", kind) && !kind.empty())
        run.notes.push_back("attention " + kind + " is estimated as " +
                            (flash ? "flash_attention_2" : "sdpa"));
}

void Reader::shard(const std::string& sharding, std::int64_t cards, const Path& place) {
    if (run.cluster.is_null()) run.cluster = json::object();
    // "ddp" is what remains where nothing shards.
    if (sharding != "ddp" || !run.cluster.contains("sharding")) run.cluster["sharding"] = sharding;
    if (cards > 0) run.cluster["cards"] = cards;
    run.places["sharding"] = place_of(place);
}

void Reader::offload(const std::string& optimizer, const std::string& parameters) {
    if (run.cluster.is_null()) return;
    if (optimizer != "none") run.cluster["offload"] = "optimizer";
    if (parameters != "none") run.cluster["offload"] = "parameters";
}

void Reader::replicas(std::int64_t count) {
    if (count > 1) run.cluster["replicas"] = count;
}

void Reader::buckets(double elements, bool overlaps) {
    const auto sharding = run.cluster.is_null() ? "" : run.cluster.value("sharding", "");
    if (!sharding.starts_with("zero") || !(elements >= 1 && elements <= kMaxBucket)) return;
    const bool twice = overlaps && sharding != "zero3";
    run.cluster["reduce_bucket_size"] = static_cast<std::int64_t>(elements) * (twice ? 2 : 1);
}

void Reader::unmodelled(const Path& place, const std::string& why) {
    const auto found = node(place);
    run.unmodelled.push_back(
        {place_of(place), fmt::format("{} is {}: {}", place_of(place), shown(found), why)});
}

bool Reader::has_reason(std::string_view why) const {
    return std::ranges::any_of(run.unmodelled,
                               [&](const Unmodelled& one) { return one.text.ends_with(why); });
}

bool Reader::name_weighing(const Path& path, const std::string& key, const Libraries& libraries) {
    for (const auto* library : libraries) {
        if (has_word(library->harmless, key)) return true;
        for (const auto& row : library->weighing) {
            if (row.effect == WeighingKeys::Effect::excludes || !has_word(row.keys, key)) continue;
            const auto found = at(root, path);
            if (row.effect == WeighingKeys::Effect::prefers) {
                if (run.preference.empty() && !run.training.contains("method"))
                    run.preference = fmt::format("{} is {}", place_of(path), shown(found));
                return true;
            }
            if (row.effect == WeighingKeys::Effect::asks) {
                if (is_harmless(found, row.harmless)) return true;
                std::int64_t number = 0;
                run.training[row.why] =
                    YAML::convert<std::int64_t>::decode(found, number) ? json(number) : json(true);
                run.places[row.why] = place_of(path);
                return true;
            }
            const bool belongs = row.effect == WeighingKeys::Effect::belongs;
            if (belongs ? found.IsNull() : is_harmless(found, row.harmless)) return true;
            if (row.effect == WeighingKeys::Effect::names)
                run.notes.push_back(
                    fmt::format("{} is {}: {}", place_of(path), shown(found), row.why));
            else if (!belongs || !has_reason(row.why))
                unmodelled(path, row.why);
            return true;
        }
    }
    return false;
}

// Keys that the library refuses together.
void Reader::name_contradictions(const Path& around, const Libraries& libraries) {
    for (const auto* library : libraries) {
        for (const auto& row : library->weighing) {
            if (row.effect != WeighingKeys::Effect::excludes) continue;
            Path last;
            bool all = true;
            each_word(row.keys, [&](std::string_view key) {
                last = around;
                for (std::size_t dot = 0; dot != std::string_view::npos;) {
                    dot = key.find('.');
                    last.emplace_back(key.substr(0, dot));
                    if (dot != std::string_view::npos) key.remove_prefix(dot + 1);
                }
                all = all && has(root, last) && !is_harmless(at(root, last), row.harmless);
            });
            if (all) unmodelled(last, row.why);
        }
    }
}

void Reader::name_rest(const Path& around, const Path& path, const Libraries& libraries) {
    for (const auto& one : at(root, path)) {
        if (!one.first.IsScalar()) continue;
        const auto place = joined(path, one.first.Scalar());
        if (read_.contains(place)) continue;
        const auto key =
            place_of({place.begin() + static_cast<std::ptrdiff_t>(around.size()), place.end()});
        const bool knows_members = knows_members_of(key, libraries);
        if (knows_members && one.second.IsMap())
            name_rest(around, place, libraries);
        else if (!name_weighing(place, key, libraries) && !(knows_members && one.second.IsNull()))
            run.unknown.push_back(place_of(place));
    }
}

void Reader::name_rest(const Path& around, std::initializer_list<const char*> libraries) {
    Libraries known;
    for (const char* library : libraries) known.push_back(&known_keys(library));
    if (!at(root, around).IsMap()) return;
    name_contradictions(around, known);
    name_rest(around, around, known);
}

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
            const auto found = reader.value(joined(mapping, name), std::int64_t{0});
            if (found < 1 || !place.empty()) continue;
            rank = found;
            place = joined(mapping, name);
        }
    }
    if (library_rank >= 0 && rank > 0) {
        json lora = {{"rank", rank}};
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

bool read_run(const YAML::Node& root, ConfiguredRun& run) {
    Reader reader(root, run);
    return read_llama_factory_1(reader) || read_axolotl(reader) || read_torchtune(reader) ||
           read_torchtitan(reader) || read_deepspeed(reader) || read_accelerate(reader) ||
           read_transformers(reader) || read_lightning(reader);
}

Result<void> read_run(std::string_view text, ConfiguredRun& run) {
    TRY(const auto root, parse_config(text));
    if (read_run(root, run)) return {};
    return fail(Errc::invalid_input,
                "The structure is not recognized: neither Transformers arguments nor a "
                "configuration of Accelerate, DeepSpeed, Lightning, axolotl, torchtune or "
                "torchtitan.");
}

}  // namespace plimsoll::jobs::training_config
