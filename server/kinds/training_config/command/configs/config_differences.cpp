#include "server/kinds/training_config/command/configs/config_differences.hpp"

#include "server/kinds/training_config/command/configs/config_edit.hpp"

#include <array>
#include <set>
#include <string_view>

namespace plimsoll::jobs::training_config {
namespace {

using Names = std::set<std::string>;

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

// The first of the places that the file has.
template <class Members>
std::optional<Path> place_of(const YAML::Node& root, const Path& around, const Members& members) {
    for (const auto& mapping : around_adapters(around)) {
        for (const char* name : members) {
            if (has(root, joined(mapping, name))) return joined(mapping, name);
        }
    }
    return std::nullopt;
}

std::string text_of(const Path& path) {
    return Setting{path, {}, false, false}.place();
}

std::string list_of(const Names& names) {
    std::string list;
    for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

bool is_true(const YAML::Node& node) {
    bool value = false;
    return node.IsDefined() && node.IsScalar() && YAML::convert<bool>::decode(node, value) && value;
}

void compare_targets(const YAML::Node& root, const Path& around, const Recommended& r,
                     std::vector<std::string>& out) {
    if (r.lora_targets.empty()) return;
    constexpr std::array kMembers = {"target_modules", "lora_target_modules", "lora_target"};
    const auto place = place_of(root, around, kMembers);
    if (!place) return;
    const auto node = at(root, *place);
    Names said;
    if (node.IsSequence()) {
        for (const auto& one : node) {
            if (one.IsScalar()) said.insert(one.Scalar());
        }
    } else if (node.IsScalar()) {  // LLaMA-Factory: names with commas between
        std::string name;
        for (const char c : node.Scalar() + ",") {
            if (c != ',' && c != ' ') {
                name += c;
            } else if (!name.empty()) {
                said.insert(name == "all" ? "all-linear" : name);
                name.clear();
            }
        }
    }
    const Names meant(r.lora_targets.begin(), r.lora_targets.end());
    if (said == meant || said.empty()) return;
    out.push_back(text_of(*place) + " is " + list_of(said) + "; the estimate is for adapters on " +
                  list_of(meant));
}

// Bits of the frozen weights, 0 if the file does not quantize them.
struct Bits {
    int count = 0;
    Path place;
};
Bits bits_in(const YAML::Node& root, const Path& around) {
    for (const auto& mapping : around_adapters(around)) {
        if (const auto path = joined(mapping, "load_in_4bit"); is_true(at(root, path)))
            return {4, path};
        if (const auto path = joined(mapping, "load_in_8bit"); is_true(at(root, path)))
            return {8, path};
        const auto path = joined(mapping, "quantization_bit");
        int bits = 0;
        if (const auto node = at(root, path);
            node.IsDefined() && node.IsScalar() && YAML::convert<int>::decode(node, bits))
            return {bits, path};
    }
    return {};
}

void compare_quantization(const YAML::Node& root, const Path& around, const Recommended& r,
                          std::vector<std::string>& out) {
    const int meant = r.quantization == "none" ? 0 : r.quantization == "int8" ? 8 : 4;
    const auto said = bits_in(root, around);
    const std::string estimate = meant == 0
                                     ? "weights that are not quantized"
                                     : "weights quantized to " + std::to_string(meant) + " bits";
    if (said.count == meant) return;
    out.push_back(said.count == 0
                      ? "the file does not quantize the weights; the estimate is for " + estimate
                      : text_of(said.place) + " quantizes the weights to " +
                            std::to_string(said.count) + " bits; the estimate is for " + estimate);
}

}  // namespace

std::optional<std::string> differs_from(const YAML::Node& root, const Path& path,
                                        std::int64_t of_estimate, const std::string& unit) {
    const auto node = at(root, path);
    std::int64_t value = 0;  // an interpolation, say, is no number
    if (!node.IsDefined() || !node.IsScalar() ||
        !YAML::convert<std::int64_t>::decode(node, value) || value == of_estimate) {
        return std::nullopt;
    }
    const auto its = of_estimate == 0 ? std::string("without adapters")
                                      : "for " + std::to_string(of_estimate) + unit;
    return text_of(path) + " is " + std::to_string(value) + "; the estimate is " + its;
}

std::vector<std::string> differences(const YAML::Node& root, const Path& around,
                                     const Recommended& r) {
    std::vector<std::string> out;
    const auto number = [&](const Path& path, std::int64_t of_estimate, const char* unit) {
        if (auto said = differs_from(root, path, of_estimate, unit))
            out.push_back(std::move(*said));
    };
    for (const char* name :
         {"max_seq_length", "max_length", "model_max_length", "cutoff_len", "block_size"}) {
        number(joined(around, name), r.sequence, " tokens");
        if (!around.empty()) number({name}, r.sequence, " tokens");
    }
    Names ranks;
    for (const auto& mapping : around_adapters(around)) {
        for (const char* name : {"r", "lora_r", "lora_rank"}) {
            const auto path = joined(mapping, name);
            // A bare "r" is a rank only where adapters are configured.
            if (std::string_view(name) == "r" && (mapping.empty() || mapping == around)) continue;
            if (ranks.insert(text_of(path)).second)
                number(path, r.lora_rank, " as the adapter rank");
        }
    }
    bool dora = false;
    for (const auto& mapping : around_adapters(around)) {
        const auto path = joined(mapping, "use_dora");
        dora = dora || is_true(at(root, path));
        if (is_true(at(root, path)) && !r.uses("lora_dora"))
            out.push_back(text_of(path) + " is true; the estimate is for LoRA");
    }
    if (r.uses("lora_dora") && !dora) out.emplace_back("the estimate is for DoRA: set use_dora");
    compare_targets(root, around, r, out);
    compare_quantization(root, around, r, out);
    return out;
}

}  // namespace plimsoll::jobs::training_config
