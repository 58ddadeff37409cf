#include "server/kinds/sentiment/contract/form.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

using nlohmann::json;

const models::Proof* passed_proof(const Manifest& model, std::string_view form) {
    const models::Proof* fastest = nullptr;
    for (const auto& proof : model.proofs) {
        if (proof.form != form || !proof.passed) continue;
        if (fastest == nullptr || proof.speedup > fastest->speedup) fastest = &proof;
    }
    return fastest;
}

tl::expected<std::string, FieldErrors> form_of(const Manifest& model, const std::string& asked) {
    if (asked == kExactForm || passed_proof(model, asked) != nullptr) return asked;
    if (asked == kAutoForm) {
        const models::Proof* fastest = nullptr;
        for (const auto& proof : model.proofs) {
            const double least = fastest == nullptr ? 1 : fastest->speedup;
            if (proof.passed && proof.speedup > least) fastest = &proof;
        }
        return fastest == nullptr ? std::string(kExactForm) : fastest->form;
    }
    const auto failed = std::ranges::find(model.proofs, asked, &models::Proof::form);
    const auto why =
        failed != model.proofs.end()
            ? model.name + " did not pass the guard in " + asked + ": " + failed->why
            : "No worker has proven " + model.name + " in " + asked +
                  ": idle workers will prove it; to prove it now, run `plimsoll-engine prove " +
                  model.name + "` on their machine";
    return tl::unexpected(FieldErrors{{"/form", "not_proven", why + "."}});
}

tl::expected<ScoringModel, FieldErrors> in_form(Manifest model, const std::string& asked) {
    auto form = form_of(model, asked);
    if (!form) return tl::unexpected(std::move(form.error()));
    return ScoringModel{std::move(model), std::move(*form)};
}

json used_proofs(std::span<const ScoringModel> models) {
    auto used = json::array();
    for (const auto& [model, form] : models) {
        const auto* proof = passed_proof(model, form);
        if (proof == nullptr) continue;
        used.push_back({{"model", model.name}, {"model_hash", model.hash}, {"proof", *proof}});
    }
    return used;
}

json known_accuracies(std::span<const ScoringModel> models) {
    auto known = json::array();
    for (const auto& [model, form] : models) {
        const auto found = std::ranges::find(model.accuracies, form, &models::Accuracy::form);
        if (found == model.accuracies.end()) continue;
        known.push_back({{"model", model.name}, {"model_hash", model.hash}, {"accuracy", *found}});
    }
    return known;
}

}  // namespace plimsoll::jobs::sentiment
