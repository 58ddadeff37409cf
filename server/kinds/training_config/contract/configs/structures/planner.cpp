#include "server/kinds/training_config/contract/configs/structures/planner.hpp"

#include "engine/training/advice/snippets.hpp"
#include "server/kinds/training_config/contract/words.hpp"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plimsoll::jobs::training_config {

bool Planner::wanted(std::string_view name) const {
    const bool is_rate = name == "learning_rate" || name == "warmup_steps";
    if (is_rate && !choice_.rates && !choice_.only.contains(name)) return false;
    if (!choice_.only.empty() && !choice_.only.contains(name)) return false;
    return !choice_.keep.contains(name) && !choice_.places.contains(std::string(name));
}

void Planner::set(std::string_view name, Path path, std::string value, bool adds, bool is_text) {
    if (!wanted(name)) return;
    plan_.placed.insert(std::string(name));
    plan_.settings.push_back({std::move(path), std::move(value), is_text, adds});
}

void Planner::set(std::string_view name, Path path, std::int64_t value, bool adds) {
    set(name, std::move(path), std::to_string(value), adds);
}

void Planner::settle(std::string_view name, Path path, std::string value, bool is_usual,
                     bool is_text) {
    if (has(root, path) || !is_usual)
        set(name, std::move(path), std::move(value), true, is_text);
    else if (wanted(name))
        plan_.placed.insert(std::string(name));
}

void Planner::change(std::string_view name, const Path& path, std::int64_t value) {
    change(name, path, std::to_string(value));
}

void Planner::change(std::string_view name, const Path& path, std::string value, bool is_text) {
    if (has(root, path)) set(name, path, std::move(value), false, is_text);
}

void Planner::change_rate(const Path& path) {
    if (r.rate)
        change("learning_rate", path, ::plimsoll::training::yaml_number(*r.rate));
    else if (wanted("learning_rate") && has(root, path))
        say("the report advises no learning rate: SGD's depends on the task");
}

void Planner::write_mapped(Path path, std::string value, bool is_text) {
    plan_.settings.push_back({std::move(path), std::move(value), is_text, true});
}

void Planner::compare(const Path& path, std::int64_t of_estimate, const std::string& unit) {
    // An interpolation, say, is no number.
    const auto value = scalar_at(root, path, of_estimate);
    if (value != of_estimate)
        say(fmt::format("{} is {}; the estimate is for {}{}", place_of(path), value, of_estimate,
                        unit));
}

void Planner::compare_run() {
    using Names = std::set<std::string>;
    const auto& lora = run.training.value("lora", nlohmann::json::object());
    // Only what the file says itself: what a library would assume is no contradiction.
    const auto differs = [&](const char* name, const auto& said, const auto& meant,
                             const std::string& estimate) {
        const auto place = run.places.find(name);
        if (place != run.places.end() && said != meant)
            say(fmt::format("{} is {}; the estimate is {}", place->second, said, estimate));
    };
    differs("sequence_length", run.training.value("sequence_length", r.sequence), r.sequence,
            fmt::format("for {} tokens", r.sequence));
    differs("lora.rank", lora.value("rank", r.lora_rank), r.lora_rank,
            r.lora_rank == 0 ? "without adapters"
                             : fmt::format("for {} as the adapter rank", r.lora_rank));
    if (r.lora_rank > 0 && lora.empty())
        note(fmt::format("the file has no adapters; the estimate is for adapters of rank {}",
                         r.lora_rank));
    const bool dora = lora.value("dora", false);
    if (dora && !r.uses("lora_dora"))
        say(run.places["lora.dora"] + " is true; the estimate is for LoRA");
    if (r.uses("lora_dora") && !dora) say("the estimate is for DoRA: set use_dora");
    const auto whole = lora.value("modules_to_save", std::vector<std::string>());
    const auto meant_whole = r.training.value("lora_modules_to_save", std::vector<std::string>());
    if (Names(whole.begin(), whole.end()) != Names(meant_whole.begin(), meant_whole.end()))
        say(fmt::format(
            "the estimate trains {} whole beside adapters; the file {}",
            meant_whole.empty() ? "nothing" : fmt::format("{}", fmt::join(meant_whole, ", ")),
            whole.empty() ? "nothing" : fmt::format("{}", fmt::join(whole, ", "))));
    if (!r.lora_targets.empty()) {
        const auto said = lora.value("modules", Names{"all-linear"});
        const Names meant(r.lora_targets.begin(), r.lora_targets.end());
        differs("lora.targets", fmt::format("{}", fmt::join(said, ", ")),
                fmt::format("{}", fmt::join(meant, ", ")),
                fmt::format("for adapters on {}", fmt::join(meant, ", ")));
    }
    const auto bits = [](const std::string& quantization) {
        return quantization == "none" ? 0 : quantization == "int8" ? 8 : 4;
    };
    const auto quantized = [](int to) {
        return to == 0 ? std::string("weights that are not quantized")
                       : fmt::format("weights quantized to {} bits", to);
    };
    const int said = bits(run.training.value("quantization", "none")), meant = bits(r.quantization);
    if (said == meant) return;
    say((said == 0 ? std::string("the file does not quantize the weights")
                   : fmt::format("{} quantizes the weights to {} bits", run.places["quantization"],
                                 said)) +
        "; the estimate is for " + quantized(meant));
}

void Planner::say_unmodelled() {
    for (const auto& one : run.unmodelled) {
        const bool changes = std::ranges::any_of(
            plan_.settings, [&](const Setting& set) { return place_of(set.path) == one.place; });
        if (!changes) say(one.text);
    }
}

std::string mixed_precision(const Recommended& r) {
    return r.precision == "fp32" ? "no" : r.precision.starts_with("fp16") ? "fp16" : "bf16";
}

std::string lightning_precision(const Recommended& r) {
    if (r.precision == "fp32") return "32-true";
    if (r.precision == "bf16") return "bf16-true";
    return r.precision.starts_with("fp16") ? "16-mixed" : "bf16-mixed";
}

std::string transformers_optimizer(const Recommended& r) {
    const auto known = value_of(kOptimizers, r.optimizer);
    if (!known) return r.optimizer;
    const bool fused = r.optimizer == "adamw" && r.fused;
    return ::plimsoll::training::names_of(*known).transformers + std::string(fused ? "_fused" : "");
}

bool is_beside_training(const Path& path) {
    return std::ranges::any_of(path, [](const std::string& name) {
        return name.find("val") != name.npos || name.find("test") != name.npos ||
               name.find("predict") != name.npos || name.find("token") != name.npos;
    });
}

}  // namespace plimsoll::jobs::training_config
