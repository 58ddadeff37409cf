#include "server/kinds/sentiment/contract/comparison.hpp"

#include "engine/base/json.hpp"
#include "engine/sentiment/meaning.hpp"

namespace plimsoll::jobs::sentiment {

namespace {

constexpr std::size_t kMaxErrors = 20;

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

FieldErrors unknown_labels(const LabelNames& names, const json& items) {
    const GivenLabels labels(names);
    FieldErrors errors;
    for (std::size_t i = 0; i < items.size() && errors.size() < kMaxErrors; ++i) {
        const auto label = items[i].value("label", std::string("neutral"));
        if (labels.of(label)) continue;
        errors.push_back({"/items/" + std::to_string(i) + "/label", "unknown_label",
                          "No model has a label \"" + label + "\": map it in \"label_names\"."});
    }
    return errors;
}

GivenLabels::GivenLabels(const LabelNames& names) {
    for (const auto& [name, label] : names)
        names_.emplace(name, *meant(label));  // the schema names the three
}

std::optional<Label> GivenLabels::of(std::string_view label) const {
    const auto own = names_.find(label);
    return own != names_.end() ? std::optional(own->second) : meant(label);
}

}  // namespace plimsoll::jobs::sentiment
