#include "server/kinds/sentiment/contract/comparison.hpp"

#include "engine/sentiment/meaning.hpp"
#include "server/kinds/sentiment/contract/form.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <algorithm>

namespace plimsoll::jobs::sentiment {

using nlohmann::json;

namespace {

constexpr std::size_t kMostErrors = 20;

std::optional<Label> meant(std::string_view label) {
    const auto worth = ::plimsoll::sentiment::worth_of_label(label);
    if (!worth) return std::nullopt;
    return *worth > 0 ? Label::positive : *worth < 0 ? Label::negative : Label::neutral;
}

}  // namespace

ComparedModel compared(const ScoringModel& model) {
    const auto& [manifest, form] = model;
    const auto meaning = ::plimsoll::sentiment::Meaning::of(manifest.labels);
    return {manifest.name, manifest.hash, form, !meaning || meaning->has_neutral()};
}

json to_json(const std::vector<ComparedModel>& models) {
    auto all = json::array();
    for (const auto& model : models) {
        all.push_back({{"name", model.name},
                       {"hash", model.hash},
                       {"form", model.form},
                       {"has_neutral", model.has_neutral}});
    }
    return all;
}

std::vector<ComparedModel> compared_models_from_json(const json& stored) {
    std::vector<ComparedModel> models;
    for (const json& one : stored) {
        models.push_back({one.at("name"), one.at("hash"), one.at("form"), one.at("has_neutral")});
    }
    return models;
}

tl::expected<json, FieldErrors> with_compared(json args, const Knowledge& knowledge) {
    auto& models = args["models"];
    const auto asked = args.value("form", std::string(kExactForm));
    for (std::size_t i = 0; i < models.size(); ++i) {
        const auto pointer = "/models/" + std::to_string(i);
        const auto name = models[i].get<std::string>();
        const auto same = [&](const json& other) {
            return (other.is_object() ? other.at("name") : other) == name;
        };
        const auto before = models.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::any_of(models.begin(), before, same)) {
            return tl::unexpected(
                FieldErrors{{pointer, "unique", "The model \"" + name + "\" is listed twice."}});
        }
        if (name == kVader) continue;
        const auto found = named_model(pointer, name, knowledge);
        if (!found) return tl::unexpected(found.error());
        auto form = form_of(*found, asked);
        if (!form) return tl::unexpected(std::move(form.error()));
        models[i] = to_json(ScoringModel{*found, std::move(*form)});
    }
    return args;
}

FieldErrors unknown_labels(const json& args) {
    const GivenLabels labels(args.value("label_names", json()));
    FieldErrors errors;
    const auto items = args.value("items", json::array());
    for (std::size_t i = 0; i < items.size() && errors.size() < kMostErrors; ++i) {
        const auto label = items[i].value("label", std::string("neutral"));
        if (labels.of(label)) continue;
        errors.push_back({"/items/" + std::to_string(i) + "/label", "unknown_label",
                          "No model has a label \"" + label + "\": map it in \"label_names\"."});
    }
    return errors;
}

GivenLabels::GivenLabels(const json& names) {
    if (!names.is_object()) return;
    for (const auto& [name, label] : names.items()) {
        // The schema names the three.
        names_.emplace(name, *meant(label.get_ref<const std::string&>()));
    }
}

std::optional<Label> GivenLabels::of(std::string_view label) const {
    const auto own = names_.find(label);
    return own != names_.end() ? std::optional(own->second) : meant(label);
}

}  // namespace plimsoll::jobs::sentiment
