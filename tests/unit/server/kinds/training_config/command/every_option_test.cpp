// Every option of the contract acts or is refused by name: in requests that combine options at
// random, each option is set to other values, and the answer must change.
#include "server/http/contract/contract.hpp"
#include "server/http/contract/contract_text.hpp"
#include "server/kinds/training_config/contract/advice.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

// Values of numbers and texts, by their place; the schema has those of the others.
const std::map<std::string, json>& values() {
    static const json text = json::parse(R"({
"/model/preset": ["minilm-l6", "distilbert"],
"/model/name": ["mine"],
"/model/labels": [2, 5000],
"/model/hidden_dropout": [0.2, 0],
"/model/attention_dropout": [0.2, 0],
"/model/dimensions/layers": [1, 3], "/model/dimensions/decoder_layers": [1, 5],
"/model/dimensions/hidden": [128, 256], "/model/dimensions/heads": [2, 8],
"/model/dimensions/kv_heads": [1, 4], "/model/dimensions/head_dim": [8, 32],
"/model/dimensions/ffn": [96, 4096], "/model/dimensions/vocab": [2000, 90000],
"/model/dimensions/positions": [600, 90000], "/model/dimensions/token_types": [1, 900],
"/model/dimensions/channels": [1, 3], "/model/dimensions/experts": [6, 3],
"/model/dimensions/experts_per_row": [1, 3], "/model/dimensions/expert_hidden": [96, 4096],
"/model/dimensions/shared_expert_hidden": [96, 4096], "/model/dimensions/image_size": [64, 96],
"/model/dimensions/patch_size": [8, 32], "/model/dimensions/window": [8, 16],
"/model/dimensions/features": [5, 40], "/model/dimensions/horizon": [3, 30],
"/training/sequence_length": [16, 64], "/training/target_length": [8, 300],
"/training/batch": [3, 7], "/training/checkpointing_every": [2, 3], "/training/frozen_layers": [1, 2],
"/training/length_histogram/0/tokens": [10, 90], "/training/length_histogram/0/samples": [3, 900],
"/training/negatives": [3, 7], "/training/lora/rank": [2, 0, 16],
"/training/vllm/memory_share": [0.3, 0.6], "/training/vllm/tensor_parallel": [2], "/training/vllm/max_length": [3000, 7000],
"/training/lora/modules": [["query"], ["q_proj"], ["down_proj"]],
"/training/lora/modules_to_save": [["embed_tokens"], ["score"]], "/training/lora/dropout": [0, 0.3], "/gpus/0": ["t4", "h200"],
"/custom_gpus/0/id": ["other"], "/custom_gpus/0/name": ["Other"], "/custom_gpus/0/memory_gib": [8, 30], "/custom_gpus/0/context_gib": [0.1, 2],
"/custom_gpus/0/bandwidth_gb_s": [100, 3000], "/custom_gpus/0/fp32_tflops": [1, 70],
"/custom_gpus/0/fp16_tflops": [10, 900], "/custom_gpus/0/bf16_tflops": [10, 900],
"/custom_gpus/0/compute_capability": [75, 90], "/custom_gpus/0/multiprocessors": [20, 400],
"/custom_gpus/0/vram_gb": [11, 33], "/custom_gpus/0/batch_size_1d": [64, 128],
"/custom_gpus/0/batch_size_1h": [64, 128], "/custom_gpus/0/max_workers": [1, 5],
"/custom_gpus/0/memory_per_model_1d": [1, 3], "/custom_gpus/0/memory_per_model_1h": [1, 3],
"/custom_gpus/0/notes": ["quiet"],
"/safety_margin": [0.5, 0.01], "/reserved_elsewhere_gib": [1, 10],
"/cluster/reduce_bucket_size": [300000, 500000000], "/cluster/replicas": [2, 1], "/cluster/tensor_parallel": [2],
"/cluster/context_parallel": [2], "/cluster/expert_parallel": [2], "/cluster/pipeline_parallel": [2], "/cluster/schedule": ["gpipe"], "/cluster/microbatches": [4], "/target_effective_batch": [100, 24],
"/learning_rate/base": [0.001, 0.002], "/learning_rate/base_batch": [17, 18], "/learning_rate/noise_scale": [50],
"/workload/dataset_size": [5000], "/workload/epochs": [7], "/workload/models": [3, 5],
"/workload/parallel_workers": [2, 4], "/host/cpu_cores": [2, 64], "/host/ram_gib": [0.00001],
"/stages/0/name": ["one"], "/stages/0/positives": [3], "/stages/0/negatives": [2, 5],
"/stages/0/sequence_length": [12, 24],
"/cluster/cards": [2, 3],
"/observed/gpu_percent": [10, 95], "/observed/cpu_percent": [99],
"/observed/memory_percent": [20, 99], "/observed/batch": [1, 60000],
"/observed/accumulation": [2, 64], "/observed/loader_workers": [0, 1],
"/observed/step_seconds": [100],
"/allocator/max_split_size_mb": [20, 64],
"/correction/factor": [1.3], "/correction/measurements": [[{"id": "x", "gpu": "g", "gpu_id": "t4", "step_seconds": 1, "model": "m",
  "batch": 1, "predicted_bytes": 1, "measured_bytes": 1, "created_at": "2025-01-01T00:00:00Z"}]]
})");
    static const auto map = text.get<std::map<std::string, json>>();
    return map;
}

// Options that need not change an answer each time, with the reason; those of the second kind never
// do.
const std::map<std::string, std::string> kMayChangeNothing = {
    {"/custom_gpus/0/", "the card as it is, for every run that it may be asked about"},
    {"/observed/", "the run as it was seen, whether or not something is wrong with it"},
    {"/correction/", "set by the server"},
    {"/workload/parallel_workers", "equal hours are the answer where nothing is to spare"},
    {"/host/ram_gib", "the queue's memory is compared with it, and mostly far below"},
    {"/goal", "two aims may lead to the same batch"},
    {"/what_ifs", "there may be no change left that could be tried"},
    {"/model/attention_dropout", "the model as it is; fused attention keeps no mask"},
    {"/model/dimensions/positions", "bounds the length of texts"},
    {"/model/dimensions/window", "the model as it is; a mask of it takes what the whole one takes"},
    {"/training/length_histogram/0/", "texts as they are; the longest decides"},
    {"/training/framework", "pins the only version there is"},
};
const std::set<std::string> kNeverChange = {"/training/framework", "/custom_gpus/0/notes"};

bool may_change_nothing(const std::string& place) {
    return std::ranges::any_of(kMayChangeNothing,
                               [&](const auto& one) { return place.starts_with(one.first); });
}

struct ContractOption {
    std::string place;
    json candidates;
};

class ContractSchemas {
  public:
    std::vector<ContractOption> options() {
        add("", component("TrainingConfigArgs"));
        return std::move(options_);
    }

  private:
    const json& component(const std::string& name) const {
        return document_.at("components").at("schemas").at(name);
    }
    void add(const std::string& place, const json& schema) {
        if (schema.contains("$ref")) {
            const std::string ref = schema["$ref"];
            return add(place, component(ref.substr(ref.rfind('/') + 1)));
        }
        const auto known = values().find(place);
        if (known != values().end())
            options_.push_back({place, known->second});
        else if (schema.contains("enum"))
            options_.push_back({place, schema["enum"]});
        else if (schema.at("type") == "boolean")
            options_.push_back({place, {true, false}});
        else if (schema["type"] == "array")
            add(place + "/0", schema.at("items"));
        else if (schema["type"] == "object" && schema.contains("properties"))
            for (const auto& [name, member] : schema["properties"].items())
                add(place + "/" + name, member);
        else if (schema["type"] != "object")
            ADD_FAILURE() << "Give values of the new option " << place << ".";
    }

    json document_ = json::parse(http::contract_json());
    std::vector<ContractOption> options_;
};

// The answer, or nothing and the places that were refused.
struct Answer {
    std::optional<std::string> text;
    std::vector<std::string> refused;
};

Answer answer_to(const json& args) {
    static const http::Contract contract(http::contract_json());
    static const auto* schema = contract.find("createEstimate")->body;
    Answer answer;
    if (!schema->check({{"kind", "training-config"}, {"args", args}}).empty()) {
        answer.refused.push_back("schema");
        return answer;
    }
    auto request = accept_request(args);
    if (!request) {
        for (const auto& error : request.error()) answer.refused.push_back(error.pointer);
        return answer;
    }
    request->report.curves = false;  // for speed: they repeat what the rest depends on
    auto cards = cards_json(*request);
    if (!cards) {
        answer.refused.push_back(cards.error().where);
        return answer;
    }
    auto summary = summary_json(*request, std::move(*cards));
    // What only repeats the arguments is no effect.
    summary.erase("training");
    summary.erase("assumptions");
    summary["probe"] = request->probe;
    answer.text = summary.dump();
    return answer;
}

bool is_off(const json& value) { return value == false || value == 0 || value == "none"; }

json with(json args, const std::string& place, const json& value) {
    args[json::json_pointer(place)] = value;
    return args;
}

// Items of a list cannot be left out of it.
std::optional<json> without(json args, const std::string& place) {
    const json::json_pointer whole(place);
    if (!args.contains(whole)) return args;
    json& parent = args.at(whole.parent_pointer());
    if (!parent.is_object()) return std::nullopt;
    parent.erase(whole.back());
    return args;
}

bool is_in_reach(const json& args, const std::string& place) {
    const auto item = place.find("/0");
    return item == std::string::npos ||
           args.contains(json::json_pointer(place.substr(0, item + 2)));
}

enum class Effect { acts, refused, idle };

// `answered` is the answer to `args`.
Effect effect_of(const json& args, const Answer& answered, const ContractOption& option) {
    if (!is_in_reach(args, option.place)) return Effect::refused;
    std::set<std::string> answers;
    int valid = 0, refused = 0;
    const auto less = without(args, option.place);
    const auto omitted = !less ? Answer{} : *less == args ? answered : answer_to(*less);
    for (const auto* known : {&answered, &omitted})
        if (known->text) answers.insert(*known->text);
    for (const json& value : option.candidates) {
        const auto given = answer_to(with(args, option.place, value));
        if (!given.text) {
            refused += given.refused.front() == "schema" ? 0 : 1;
            continue;
        }
        valid += is_off(value) ? 0 : 1;
        answers.insert(*given.text);
        if (answers.size() > 1) return Effect::acts;
    }
    // The one value that is not refused is the truth.
    const bool is_only = valid == 1 && refused > 0;
    return valid == 0 || is_only ? Effect::refused : Effect::idle;
}

json model(const char* family, json more = json::object()) {
    json dimensions = {{"family", family}, {"layers", 2}, {"hidden", 64}};
    if (std::string_view(family) != "lstm") dimensions["heads"] = 4;
    dimensions.update(more);
    return {{"model", {{"dimensions", std::move(dimensions)}}}};
}

std::vector<json> models() {
    const json vocab = {{"vocab", 1000}};
    const json experts = {
        {"vocab", 1000}, {"experts", 4}, {"experts_per_row", 2}, {"expert_hidden", 64}};
    auto shared = experts;
    shared["shared_expert_hidden"] = 64;
    auto channels = experts;
    channels["channels"] = 2;
    return {model("bert", vocab),
            model("distilbert", vocab),
            model("roberta", vocab),
            model("deberta_v2", vocab),
            model("modernbert", vocab),
            model("vit"),
            model("whisper"),
            model("t5", vocab),
            model("gpt2", vocab),
            model("gpt_neox", vocab),
            model("llama", vocab),
            model("qwen3", vocab),
            model("gemma2", vocab),
            model("gemma3", vocab),
            model("phi3", vocab),
            model("mixtral", experts),
            model("qwen2_moe", shared),
            model("naics", channels),
            model("temporal"),
            model("lstm"),
            {{"model", {{"preset", "minilm-l6"}}}}};
}

// Parts of requests, which are combined.
std::vector<json> fragments() {
    return json::parse(R"([
{"training": {"lora": {"rank": 4}}}, {"training": {"lora": {"targets": "all_linear"}}},
{"training": {"lora": {"modules": ["query"]}}}, {"training": {"lora": {"modules": ["q_proj"]}}},
{"training": {"quantization": "nf4_double"}}, {"training": {"precision": "bf16"}},
{"training": {"precision": "fp32"}}, {"training": {"precision": "fp16_autocast"}}, {"training": {"optimizer": "sgd"}}, {"training": {"optimizer": "sgd_momentum"}},
{"training": {"optimizer": "adafactor"}}, {"training": {"optimizer": "adam_8bit"}},
{"training": {"optimizer_kernel": "foreach"}}, {"training": {"batch": 4}}, {"training": {"padded": true}}, {"training": {"packed": true}}, {"training": {"fused_loss": true}}, {"training": {"fused_adapters": true, "precision": "bf16", "lora": {"rank": 4, "dropout": 0}}},
{"training": {"optimizer_in_backward": true, "clip": false}}, {"training": {"pretraining": true}}, {"training": {"checkpointing": true}},
{"training": {"attention": "eager"}}, {"training": {"attention": "flash_attention_2"}},
{"training": {"frozen_layers": 1}}, {"training": {"interval": "1d"}},
{"training": {"sequence_length": 32}}, {"training": {"clip": false}},
{"training": {"length_histogram": [{"tokens": 8, "samples": 10}, {"tokens": 30, "samples": 4}]}},
{"training": {"length_histogram": [{"tokens": 30, "samples": 4}]}},
{"model": {"head": "language_model"}}, {"model": {"head": "classifier"}},
{"goal": "guide"}, {"goal": "knee"}, {"target_effective_batch": 64},
{"learning_rate": {"base": 0.001}}, {"learning_rate": {"base": 0.001, "base_batch": 8}},
{"workload": {"dataset_size": 1000}}, {"workload": {"dataset_size": 1000, "models": 6}},
{"cluster": {"cards": 4}}, {"cluster": {"cards": 4, "sharding": "fsdp", "replicas": 2}},
{"cluster": {"cards": 4, "sharding": "zero2"}}, {"cluster": {"cards": 1}},
{"cluster": {"cards": 1, "sharding": "zero3", "offload": "parameters"}},
{"allocator": {"expandable_segments": true}}, {"allocator": {"max_split_size_mb": 32}},
{"gpus": ["rtx_4090", "t4"]}, {"gpus": ["h200"]}, {"gpus": ["mine"]},
{"custom_gpus": [{"id": "mine", "memory_gib": 20, "bandwidth_gb_s": 900, "fp32_tflops": 30}]},
{"custom_gpus": [{"id": "mine", "vram_gb": 20, "batch_size_1d": 32, "batch_size_1h": 48,
  "max_workers": 2, "memory_per_model_1d": 2, "memory_per_model_1h": 4, "notes": "loud"}]},
{"stages": [{"name": "first"}]}, {"observed": {"gpu_percent": 20}},
{"observed": {"out_of_memory": true}}, {"observed": {"memory_percent": 30, "batch": 4}},
{"correction": {"factor": 1.1, "measurements": []}}, {"what_ifs": true},
{"host": {"cpu_cores": 16}}, {"safety_margin": 0.5}
])");
}

json merged(json args, const json& fragment) {
    args.merge_patch(fragment);
    return args;
}

// Requests in which options act that are rarely met at random.
std::vector<json> particular_requests() {
    const auto of = [](json args, const char* more) { return merged(args, json::parse(more)); };
    const json card =
        json::parse(R"({"id": "mine", "vram_gb": 20, "batch_size_1d": 32, "batch_size_1h": 48,
                                      "max_workers": 2, "memory_per_model_1d": 2, "memory_per_model_1h": 4})");
    const json dense = {
        {"id", "mine"}, {"memory_gib", 20}, {"bandwidth_gb_s", 900}, {"fp32_tflops", 30}};
    const json bert = model("bert", {{"vocab", 1000}});
    const json guided = merged(model("temporal"), {{"custom_gpus", {card}}, {"goal", "guide"}});
    const json on_dense = merged(bert, {{"custom_gpus", {dense}}});
    const json llama = model("llama", {{"vocab", 1000}});
    const json sharded = {{"cluster", {{"cards", 4}, {"sharding", "fsdp"}}}};
    return {
        guided,
        of(guided, R"({"training": {"interval": "1d"}})"),
        on_dense,
        of(on_dense, R"({"training": {"precision": "bf16"}})"),
        of(on_dense, R"({"training": {"precision": "fp16_autocast"}})"),
        of(bert, R"({"training": {"precision": "bf16", "lora": {"rank": 4}}})"),
        of(llama, R"({"training": {"checkpointing": true}})"),
        of(llama,
           R"({"model": {"head": "language_model", "dimensions": {"tied_head": false}}, "training": {"precision": "bf16"}, "workload": {"dataset_size": 1000}, "cluster": {"cards": 4, "pipeline_parallel": 2}})"),
        of(sharded,
           R"({"model": {"head": "language_model", "dimensions": {"family": "mixtral", "layers": 2, "hidden": 64, "heads": 4, "vocab": 1000, "experts": 4, "experts_per_row": 2, "expert_hidden": 64}}, "training": {"precision": "bf16"}})"),
        of(llama, R"({"training": {"method": "dpo"}})"),
        of(llama, R"({"training": {"method": "grpo"}})"),
        of(llama,
           R"({"training": {"method": "grpo", "generation": "vllm", "vllm": {"memory_share": 0.4}}, "cluster": {"cards": 2}})"),
        of(merged(llama, sharded), R"({"training": {"precision": "bf16"}})"),
        of(merged(llama, sharded), R"({"training": {"precision": "bf16_autocast"}})"),
        of(bert, R"({"correction": {"factor": 1.1, "measurements": []}, "observed": {},
                     "workload": {"dataset_size": 1000, "models": 6}, "what_ifs": true})"),
        of(bert, R"({"observed": {"gpu_percent": 20, "batch": 4}, "training": {
                     "length_histogram": [{"tokens": 8, "samples": 10},
                                          {"tokens": 30, "samples": 4}]}, "what_ifs": true})"),
        of(bert, R"({"allocator": {"max_split_size_mb": 32},
                     "learning_rate": {"base": 0.001, "base_batch": 8}})"),
        of(models()[17], R"({"stages": [{"name": "first"}]})"),
    };
}

// A request of some fragments that are accepted together.
json random_request(const json& model, std::mt19937& random) {
    static const auto all = fragments();
    json args = merged(model, {{"what_ifs", false}});
    const auto wanted = random() % 7;
    for (unsigned taken = 0, tried = 0; taken < wanted && tried < 20; ++tried) {
        auto more = merged(args, all[random() % all.size()]);
        if (!answer_to(more).text) continue;
        args = std::move(more);
        ++taken;
    }
    return args;
}

std::string family_of(const json& args) {
    return " of " + args.value("/model/dimensions/family"_json_pointer, std::string("a preset"));
}

struct Tried {
    std::set<std::string> acting;
    std::map<std::string, std::string> idle;  // a request where an option is so
};

void try_options(const json& args, const std::vector<ContractOption>& options, Tried& tried) {
    const auto answered = answer_to(args);
    for (const auto& option : options) {
        const auto effect = effect_of(args, answered, option);
        if (effect == Effect::acts) tried.acting.insert(option.place);
        if (effect == Effect::idle && !may_change_nothing(option.place))
            tried.idle.try_emplace(option.place + family_of(args), args.dump());
    }
}

TEST(EveryOption, ActsOrIsRefused) {
    const bool thorough = std::getenv("PLIMSOLL_LONG_TESTS") != nullptr;
    const auto options = ContractSchemas().options();
    Tried tried;
    for (const auto& args : particular_requests()) {
        ASSERT_TRUE(answer_to(args).text) << args;
        try_options(args, options, tried);
    }
    std::mt19937 random(20261125);
    for (int round = 0; round < (thorough ? 20 : 1); ++round)
        for (const auto& model : models())
            try_options(random_request(model, random), options, tried);
    for (const auto& [place, request] : tried.idle)
        ADD_FAILURE() << place << " changes nothing in " << request;
    for (const auto& option : options) {
        const bool acts = tried.acting.contains(option.place);
        EXPECT_EQ(acts, !kNeverChange.contains(option.place))
            << option.place << (acts ? " acts" : " never acts");
    }
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
