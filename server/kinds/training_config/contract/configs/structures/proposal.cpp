#include "engine/training/advice/snippets.hpp"
#include "server/kinds/training_config/contract/configs/structures/planner.hpp"
#include "server/kinds/training_config/contract/words.hpp"

#include <array>
#include <cctype>

namespace plimsoll::jobs::training_config {
namespace {

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

template <std::size_t N>
bool is_one_of(const std::string& word, const std::array<const char*, N>& words) {
    return std::ranges::find(words, word) != words.end();
}

// Precision has many spellings; the current value shows which one the file uses.
std::optional<std::string> precision_like(const Recommended& r, const std::string& key,
                                          const std::string& before) {
    const auto mixed = mixed_precision(r);
    const bool half = has_half_weights(r);
    constexpr std::array kFlags = {"true", "false", "yes", "no"};
    constexpr std::array kLightning = {"16-mixed", "bf16-mixed", "32-true", "bf16-true",
                                       "16-true",  "16",         "32"};
    constexpr std::array kWide = {"bfloat16", "float16", "float32"};
    constexpr std::array kComposer = {"amp_bf16", "amp_fp16", "fp32"};
    if (is_one_of(before, kFlags)) {
        if (key != "bf16" && key != "fp16") return std::nullopt;
        return yes(mixed == key && has_autocast(r));
    }
    if (is_one_of(before, kLightning)) return lightning_precision(r);
    const bool of_weights = key.ends_with("dtype");
    if (of_weights && r.precision != "fp32" && !half) return std::nullopt;  // autocast is no dtype
    const bool fp16 = r.precision == "fp16";
    if (is_one_of(before, kWide)) return half ? fp16 ? "float16" : "bfloat16" : "float32";
    if (of_weights) return half ? fp16 ? "fp16" : "bf16" : "fp32";
    if (half) return std::nullopt;
    if (before.starts_with("amp_") || is_one_of(before, kComposer))
        return mixed == "no" ? "fp32" : "amp_" + mixed;
    return mixed == "no" && before.starts_with("fp") ? "fp32" : mixed;
}

std::optional<std::string> optimizer_like(const Recommended& r, const std::string& before) {
    const bool is_class = before.find('.') != before.npos;
    if (!is_class) return transformers_optimizer(r);
    const auto known = value_of(kOptimizers, r.optimizer);
    if (!known) return std::nullopt;
    const auto& names = ::plimsoll::training::names_of(*known);
    if (*names.arguments != '\0') return std::nullopt;
    return names.type;
}

// The keys of a setting, the likeliest first, each as the last names of a place.
struct Candidates {
    const char* name;
    std::vector<Path> keys;
};
const std::vector<Candidates>& candidates() {
    static const std::vector<Candidates> all = {
        {"batch",
         {{"micro_batch_size"},
          {"device_train_microbatch_size"},
          {"per_device_batch_size"},
          {"batch_size_per_device"},
          {"batch_size_per_gpu"},
          {"train_batch_size"},
          {"batch_size"},
          {"bs"}}},
        {"effective_batch",
         {{"global_batch_size"},
          {"global_train_batch_size"},
          {"effective_batch_size"},
          {"total_batch_size"}}},
        {"accumulation",
         {{"gradient_accumulation_steps"},
          {"accumulate_grad_batches"},
          {"accumulation_steps"},
          {"grad_accum_steps"},
          {"grad_accum"}}},
        {"precision", {{"precision"}, {"mixed_precision"}, {"bf16"}, {"fp16"}, {"dtype"}}},
        {"checkpointing",
         {{"gradient_checkpointing"},
          {"enable_activation_checkpointing"},
          {"activation_checkpointing"},
          {"grad_checkpointing"}}},
        {"optimizer", {{"optimizer", "_component_"}, {"optimizer"}, {"optim"}}},
        {"workers", {{"dataloader_num_workers"}, {"num_workers"}}},
        {"learning_rate", {{"learning_rate"}, {"lr"}}},
        {"warmup_steps", {{"lr_warmup_steps"}, {"warmup_steps"}, {"num_warmup_steps"}}},
    };
    return all;
}

// All places of the file whose last names are these.
std::vector<Path> places_of(const YAML::Node& root, const Path& keys) {
    std::vector<Path> found;
    find_mappings(
        root, {},
        [&](const YAML::Node& node, const Path& path) {
            const auto value = at(node, keys);
            return value.IsDefined() && value.IsScalar() && !is_beside_training(path);
        },
        found);
    for (auto& path : found) path.insert(path.end(), keys.begin(), keys.end());
    return found;
}

}  // namespace

std::optional<Proposal> value_at(const Planner& p, const std::string& name, Path path) {
    const auto& r = p.r;
    Proposal out{name, {}, word_at(p.root, path), {}, false};
    const auto before = lower(out.before);
    if (name == "precision") {
        const auto value = precision_like(r, path.back(), before);
        if (!value) return std::nullopt;
        out.after = *value;
        out.is_text = out.after != "true" && out.after != "false";
    } else if (name == "optimizer") {
        const auto value = optimizer_like(r, out.before);
        if (!value) return std::nullopt;
        out.after = *value;
        out.is_text = true;
    } else if (name == "attention") {
        out.after = r.attention;
        out.is_text = true;
    } else if (name == "sharding") {
        out.after = r.sharding;
        out.is_text = true;
    } else {
        const std::map<std::string, std::string> numbers = {
            {"batch", std::to_string(r.batch)},
            {"effective_batch", std::to_string(r.batch * r.accumulation * r.cards)},
            {"accumulation", std::to_string(r.accumulation)},
            {"checkpointing", yes(r.checkpointing)},
            {"clipping", r.clip ? "1.0" : "0"},
            {"workers", std::to_string(r.workers)},
            {"packing", yes(r.uses("packed"))},
            {"learning_rate", ::plimsoll::training::yaml_number(r.rate.value_or(0))},
            {"warmup_steps", std::to_string(r.warmup_steps)},
            {"positives", std::to_string(r.positives.value_or(0))},
            {"negatives", std::to_string(r.negatives.value_or(0))}};
        const auto number = numbers.find(name);
        out.after = number == numbers.end() ? yes(r.uses(name.c_str())) : number->second;
    }
    out.path = std::move(path);
    return out;
}

void propose_places(Planner& p) {
    for (const auto& [name, keys] : candidates()) {
        if (!p.wanted(name)) continue;
        if (std::string_view(name) == "learning_rate" && !p.r.rate) continue;
        for (const auto& key : keys) {
            const auto places = places_of(p.root, key);
            if (places.size() != 1) continue;
            if (auto proposal = value_at(p, name, places.front())) p.propose(std::move(*proposal));
            break;
        }
    }
}

}  // namespace plimsoll::jobs::training_config
