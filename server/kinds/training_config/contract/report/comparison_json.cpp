#include "engine/base/json.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
namespace plimsoll::jobs::training_config {
namespace {

// Both cards have room for at least one sample.
bool both_fit(const json& from, const json& to) {
    return !from["accumulation"].is_null() && !to["accumulation"].is_null();
}

json rows(const json& from, const json& to) {
    json all = json::array();
    const auto add = [&](const char* name, const json& before, const json& after,
                         const char* unit) {
        all.push_back({{"name", name}, {"from", before}, {"to", after}, {"unit", unit}});
    };
    const auto both = [&](const char* name, const char* place, const char* unit) {
        const json::json_pointer at(place);
        add(name, from.at(at), to.at(at), unit);
    };
    both("largest batch", "/max_batch", "");
    both("batch", "/batch", "");
    if (both_fit(from, to)) {
        both("accumulation steps", "/accumulation/nearest/steps", "");
        both("effective batch", "/accumulation/nearest/effective", "");
    }
    both("memory in use", "/memory/device_used_bytes", "bytes");
    both("share of the GPU", "/memory/utilization_percent", "%");
    both("throughput, modelled", "/speed/samples_per_second", "samples/s");
    both("all epochs and models, modelled", "/speed/hours", "h");
    both("runs at the same time", "/parallel_runs", "");
    both("loader workers", "/loader/workers", "");
    return all;
}

// The lines of a configuration that differ, by the names of Transformers' TrainingArguments.
json changes(const json& from, const json& to) {
    json all = json::array();
    if (!both_fit(from, to)) return all;
    const auto add = [&](const char* setting, const char* place) {
        const json::json_pointer at(place);
        const json &before = from.at(at), &after = to.at(at);
        if (before != after) all.push_back({{"setting", setting}, {"from", before}, {"to", after}});
    };
    add("per_device_train_batch_size", "/batch");
    add("gradient_accumulation_steps", "/accumulation/nearest/steps");
    add("learning_rate", "/learning_rate/recommended");
    add("warmup_steps", "/learning_rate/warmup_steps");
    add("dataloader_num_workers", "/loader/workers");
    return all;
}

std::string rates(const json& from, const json& to) {
    if (from.is_null() || to.is_null()) return "scale your learning rate with it.";
    return "the learning rate goes from " + short_number(from) + " to " + short_number(to) + ".";
}

json plain(std::string words) { return {{"text", std::move(words)}, {"code", false}}; }

// To be typed or pasted as it is.
json code(std::string words) { return {{"text", std::move(words)}, {"code", true}}; }

template <class... Parts>
json step(Parts... parts) {
    return {{"parts", json::array({std::move(parts)...})}};
}

json steps(const json& from, const json& to, const json& changed) {
    const std::string name = to["gpu"]["name"], id = to["gpu"]["id"];
    if (to["accumulation"].is_null()) {
        return json::array(
            {step(plain(name + " cannot hold this run. " + to["why"].get<std::string>()))});
    }
    json all = json::array();
    if (from["gpu"]["bf16"].get<bool>() && !to["gpu"]["bf16"].get<bool>()) {
        all.push_back(
            step(plain(name + " has no bf16: train in fp16 with a gradient scaler, or in fp32.")));
    }
    all.push_back(step(plain("Set "), code("GPU_PROFILE=" + id),
                       plain(", so that estimates without a GPU use this one.")));
    if (changed.empty()) {
        all.push_back(step(plain("No setting changes.")));
    } else {
        all.push_back(step(plain("Apply the settings with: "),
                           code("plimsoll apply report.json conf/*.yaml --gpu " + id),
                           plain(" (it keeps the previous version of each file).")));
    }
    const auto &before = from["accumulation"], &after = to["accumulation"];
    if (!before.is_null()) {
        const auto was = before["nearest"]["effective"], is = after["nearest"]["effective"];
        all.push_back(step(plain(
            was == is ? "The effective batch stays " + is.dump() +
                            ": learning rate and warm-up stay the same, and losses are comparable."
                      : "The effective batch goes from " + was.dump() + " to " + is.dump() + ": " +
                            rates(from["learning_rate"]["recommended"],
                                  to["learning_rate"]["recommended"]))));
    }
    all.push_back(step(plain("Train a few hundred steps with the callback of "),
                       code("plimsoll.training"),
                       plain(": its measurements correct later estimates.")));
    return all;
}

}  // namespace

json comparison_json(const json& from, const json& to) {
    auto changed = changes(from, to);
    auto how = steps(from, to, changed);
    return {{"from", from["gpu"]["id"]},
            {"to", to["gpu"]["id"]},
            {"rows", rows(from, to)},
            {"changes", std::move(changed)},
            {"steps", std::move(how)}};
}

}  // namespace plimsoll::jobs::training_config
