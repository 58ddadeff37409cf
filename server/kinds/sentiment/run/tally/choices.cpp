#include "server/kinds/sentiment/run/tally/choices.hpp"

#include "server/kinds/sentiment/run/text_or_null.hpp"

#include <algorithm>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

}  // namespace

json Choices::to_json() const {
    auto stored = json::array();
    for (const auto& [choice, items] : items_) {
        stored.push_back({choice.model, choice.model_hash, choice.form, choice.asked, choice.rule,
                          choice.fallback, items});
    }
    return stored;
}

Choices Choices::from_json(const json& stored) {
    Choices choices;
    for (const json& one : stored) {
        choices.add({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4), one.at(5)}, one.at(6));
    }
    return choices;
}

json Choices::summary() const {
    auto shown = json::array();
    for (const auto& [choice, items] : items_) {
        shown.push_back({{"model", choice.model},
                         {"model_hash", text_or_null(choice.model_hash)},
                         {"form", text_or_null(choice.form)},
                         {"asked", choice.asked},
                         {"rule", choice.rule == 0 ? json(nullptr) : json(choice.rule)},
                         {"fallback", text_or_null(choice.fallback)},
                         {"items", items}});
    }
    return shown;
}

const Choice* Choices::only_model() const {
    if (items_.empty()) return nullptr;
    const Choice& first = items_.begin()->first;
    const bool same = std::ranges::all_of(items_, [&](const auto& entry) {
        return entry.first.model == first.model && entry.first.model_hash == first.model_hash;
    });
    return same ? &first : nullptr;
}

bool Choices::reads_tokens() const {
    return std::ranges::any_of(items_,
                               [](const auto& entry) { return !entry.first.model_hash.empty(); });
}

}  // namespace plimsoll::jobs::sentiment
