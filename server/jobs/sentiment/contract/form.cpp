#include "server/jobs/sentiment/contract/form.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

using nlohmann::json;

const models::Proof* passed_proof(const Manifest& model, std::string_view form) {
    const auto found = std::ranges::find_if(model.proofs, [&](const models::Proof& proof) {
        return proof.form == form && proof.passed;
    });
    return found == model.proofs.end() ? nullptr : &*found;
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
    const auto why = failed != model.proofs.end()
                         ? model.name + " did not pass the guard in " + asked + ": " + failed->why
                         : "No worker has compared " + model.name + " in " + asked +
                               " with fp32: run `plimsoll-engine prove " + model.name +
                               "` on its machine";
    return tl::unexpected(FieldErrors{{"/form", "not_proven", why + "."}});
}

std::optional<FieldErrors> form_out_of_place(const json& args) {
    if (!args.contains("form")) return std::nullopt;
    if (args.contains("policy") || args.contains("models")) {
        return FieldErrors{
            {"/form", "one_of",
             "Policies and comparisons score in fp32: use a form with \"model\" only."}};
    }
    if (args["form"] == kAutoForm || args.value("model", json()).is_object()) return std::nullopt;
    return FieldErrors{{"/form", "not_used", "VADER has no forms: omit it."}};
}

json form_facts(const Manifest& model, const std::string& form) {
    json facts{{"form", form}};
    if (const auto* proof = passed_proof(model, form)) facts["proof"] = to_json(*proof);
    return facts;
}

}  // namespace plimsoll::jobs::sentiment
