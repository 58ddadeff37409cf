#include "server/kinds/training_config/command/configs/structures/planner.hpp"

#include "engine/training/advice/snippets.hpp"
#include "server/kinds/training_config/command/configs/config_differences.hpp"

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
    if (has(root, path) || !is_usual) {
        set(name, std::move(path), std::move(value), true, is_text);
    } else if (wanted(name)) {
        plan_.placed.insert(std::string(name));
    }
}

void Planner::change(std::string_view name, const Path& path, std::int64_t value) {
    change(name, path, std::to_string(value));
}

void Planner::change(std::string_view name, const Path& path, std::string value, bool is_text) {
    if (has(root, path)) set(name, path, std::move(value), false, is_text);
}

void Planner::change_rate(const Path& path) {
    if (r.rate) {
        change("learning_rate", path, ::plimsoll::training::yaml_number(*r.rate));
    } else if (wanted("learning_rate") && has(root, path)) {
        say("the report advises no learning rate: SGD's depends on the task");
    }
}

void Planner::write_mapped(Path path, std::string value, bool is_text) {
    plan_.settings.push_back({std::move(path), std::move(value), is_text, true});
}

void Planner::compare(const Path& path, std::int64_t of_estimate, const std::string& unit) {
    if (auto said = differs_from(root, path, of_estimate, unit)) say(std::move(*said));
}

void Planner::compare_run(const Path& around) {
    for (auto& said : differences(root, around, r)) say(std::move(said));
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
    if (r.optimizer == "adamw") return r.fused ? "adamw_torch_fused" : "adamw_torch";
    if (r.optimizer == "adam_8bit") return "adamw_bnb_8bit";
    if (r.optimizer == "paged_adamw") return "paged_adamw_32bit";
    return r.optimizer == "sgd_momentum" ? "sgd" : r.optimizer;
}

bool is_beside_training(const Path& path) {
    return std::ranges::any_of(path, [](const std::string& name) {
        return name.find("val") != name.npos || name.find("test") != name.npos ||
               name.find("predict") != name.npos || name.find("token") != name.npos;
    });
}

}  // namespace plimsoll::jobs::training_config
