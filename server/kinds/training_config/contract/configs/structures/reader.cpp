#include "server/kinds/training_config/contract/configs/structures/reader.hpp"

#include "engine/base/json.hpp"
#include "server/kinds/training_config/contract/configs/structures/planner.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plimsoll::jobs::training_config {
namespace {

constexpr double kMaxBucket = 1e11;  // elements
constexpr std::string_view kNothing =
    "null Null NULL ~ none None NONE false False no No 0 0.0 auto";

bool is_interpolation(const YAML::Node& node) {
    return node.IsDefined() && node.IsScalar() && node.Scalar().starts_with("${") &&
           node.Scalar().ends_with("}");
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

// Of a key of which nothing else is known.
bool sounds_heavy(const std::string& key) {
    constexpr std::array kHeavy = {"parallel_size", "parallel_degree", "parallel_dim",
                                   "offload",       "quantiz",         "teacher",
                                   "distill",       "load_in_",        "gradient_checkpointing"};
    return std::ranges::any_of(
        kHeavy, [&](const char* word) { return key.find(word) != std::string::npos; });
}

// Makes of a file what Python's libraries read in it.
class Resolver {
  public:
    explicit Resolver(const YAML::Node& root) : root_(root) {}

    // What "${trainer.devices}" stands for, as Hydra and OmegaConf resolve it within the file, and
    // what "<<" adds to a mapping. Keys that stand twice, of which libraries take the last or none,
    // are an error, and so are aliases that expand without end.
    Result<void> resolve(YAML::Node node, int depth = 0) {
        if (depth > kMaxDepth || --left_ < 0)
            return fail(Errc::invalid_input, "The file is nested too deeply, or too large.");
        if (node.IsSequence())
            for (auto one : node) TRY_DO(resolve(one, depth + 1));
        if (node.IsMap()) {
            merge(node);
            std::set<std::string> keys;
            for (const auto& one : node) {
                if (one.first.IsScalar() && !keys.insert(one.first.Scalar()).second)
                    return fail(Errc::invalid_input,
                                fmt::format("{} stands twice, again in line {}: keep one of them.",
                                            one.first.Scalar(), one.first.Mark().line + 1));
                TRY_DO(resolve(one.second, depth + 1));
            }
        }
        for (int step = 0; step < kMaxSteps && is_interpolation(node); ++step) {
            const auto text = node.Scalar();
            const auto meant = at(root_, parts_of(text.substr(2, text.size() - 3)));
            if (!meant.IsDefined() || !meant.IsScalar()) break;
            node = meant.Scalar();
        }
        return {};
    }

  private:
    static constexpr int kMaxDepth = 64, kMaxSteps = 8;

    static void merge(YAML::Node& node) {
        const auto merged = member(node, "<<");
        if (!merged.IsDefined() || !merged.IsMap()) return;
        for (const auto& one : merged)
            if (one.first.IsScalar() && !member(node, one.first.Scalar()).IsDefined())
                node[one.first.Scalar()] = one.second;
        node.remove("<<");
    }

    const YAML::Node& root_;
    int left_ = 100'000;  // nodes
};

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

void Reader::require_value(const Path& path) {
    if (!is_interpolation(at(root, path))) return;
    const auto place = place_of(path);
    if (std::ranges::find(run.unmodelled, place, &Unmodelled::place) == run.unmodelled.end())
        unmodelled(path, "its value is not in the file: write it, or add it by its flag");
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
    const auto word = word_at(root, path);
    double number = 0;
    const bool says =
        !word.empty() && !has_word("null ~", word) && !is_interpolation(at(root, path));
    if (otherwise > 0 && says && !YAML::convert<double>::decode(at(root, path), number))
        unmodelled(path, "it is no number: give --batch", "--batch");
}

void Reader::accumulation(const Path& path) {
    if (const auto found = value(path, std::int64_t{0}); found > 0) {
        run.accumulation = found;
        run.places["accumulation"] = place_of(path);
    }
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
    const auto before = run.cluster.value("sharding", "");
    const auto zero = [](const std::string& by) { return by.starts_with("zero"); };
    const auto fsdp = [](const std::string& by) { return by.starts_with("fsdp"); };
    if ((zero(before) && fsdp(sharding)) || (fsdp(before) && zero(sharding)))
        unmodelled(place,
                   fmt::format("beside {} ({}), which shards, too: no library uses both FSDP "
                               "and DeepSpeed. Leave one of them out",
                               run.places["sharding"], before));
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

void Reader::unmodelled(const Path& place, const std::string& why, const std::string& flag) {
    const auto found = node(place);
    run.unmodelled.push_back(
        {place_of(place), fmt::format("{} is {}: {}", place_of(place), shown(found), why), flag});
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
        else if (name_weighing(place, key, libraries) || (knows_members && one.second.IsNull()))
            continue;
        else if (sounds_heavy(key) && !is_harmless(one.second, "1 -1"))
            unmodelled(place, "it is not known, and its name says that it may change the need");
        else
            run.unknown.push_back(place_of(place));
    }
}

void Reader::name_heavy(const Path& around) {
    constexpr std::array kHeavy = {
        "lora",    "zero",  "fsdp",  "shard", "checkpointing", "optim",       "precision",
        "dtype",   "bf16",  "fp16",  "4bit",  "8bit",          "max_seq",     "seq_len",
        "max_len", "_gpus", "liger", "peft",  "qlora",         "micro_batch", "_length"};
    for (const auto& one : at(root, around)) {
        if (!one.first.IsScalar()) continue;
        const auto place = joined(around, one.first.Scalar());
        const bool heavy =
            sounds_heavy(place.back()) || std::ranges::any_of(kHeavy, [&](const char* word) {
                return place.back().find(word) != std::string::npos;
            });
        if (one.second.IsMap())
            name_heavy(place);
        else if (heavy && !read_.contains(place) && !is_harmless(one.second, "1 -1"))
            unmodelled(place,
                       "no structure that is known has it there; say by flags what it means");
    }
}

void Reader::name_rest(const Path& around, std::initializer_list<const char*> libraries) {
    Libraries known;
    for (const char* library : libraries) known.push_back(&known_keys(library));
    if (!at(root, around).IsMap()) return;
    name_contradictions(around, known);
    name_rest(around, around, known);
}

bool read_run(const YAML::Node& root, ConfiguredRun& run) {
    Reader reader(root, run);
    return read_llama_factory_1(reader) || read_llama_factory_other(reader) ||
           read_axolotl(reader) || read_torchtune(reader) || read_torchtitan(reader) ||
           read_deepspeed(reader) || read_accelerate(reader) || read_transformers(reader) ||
           read_lightning(reader);
}

namespace {

// Of a program, or of what starts one: a shell script, a Makefile, a job's description.
constexpr std::string_view kProgram[] = {
    "#!/",       "accelerate launch", "torchrun ",    "deepspeed ",         "llamafactory-cli ",
    "tune run ", "axolotl train",     "import torch", "from transformers ", "--model_name_or_path"};

bool is_program(std::string_view text) {
    return std::ranges::any_of(kProgram, [&](auto sign) { return text.find(sign) != text.npos; });
}

Error unrecognized(std::string_view text) {
    if (is_program(text))
        return {Errc::invalid_input,
                "This is a program or starts one. Write the run's settings into a YAML file, "
                "--learning_rate 2e-5 as learning_rate: 2e-5, and name that, beside the files that "
                "the command reads.",
                {}};
    return {Errc::invalid_input,
            "The structure is not recognized: neither Transformers arguments nor a configuration "
            "of Accelerate, DeepSpeed, Lightning, axolotl, torchtune or torchtitan.",
            {}};
}

}  // namespace

Result<void> read_run(std::string_view text, ConfiguredRun& run,
                      const std::vector<std::string>& without) {
    const auto parsed = parse_config(text);
    if (!parsed) return fail(is_program(text) ? unrecognized(text) : parsed.error());
    const auto& root = *parsed;
    TRY_DO(Resolver(root).resolve(root));
    for (const auto& place : without) {
        auto around = parts_of(place);
        const auto key = around.back();
        around.pop_back();
        auto mapping = at(root, around);
        if (member(mapping, key).IsDefined() && mapping.remove(key)) run.left_out.insert(place);
    }
    if (read_run(root, run)) return {};
    return fail(unrecognized(text));
}

}  // namespace plimsoll::jobs::training_config
