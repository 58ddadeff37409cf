#include "server/kinds/sentiment/contract/models.hpp"

#include "engine/base/closest.hpp"
#include "engine/base/json.hpp"
#include "engine/sentiment/meaning.hpp"
#include "server/jobs/records/model_requirement.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace plimsoll::jobs::sentiment {

namespace {

// A processor of two cores with AVX-512; see tests/bench/RESULTS.md.
constexpr double kOperationsPerSecond = 2e11;
// English: a token has about four and a half bytes, and a text two tokens more.
constexpr double kBytesPerToken = 4.5;
constexpr double kTokensPerText = 2;
constexpr double kTokensPerBatch = 3072;

// Parameters that every token is multiplied by: all except the tables.
double encoder_parameters(const Manifest& model) {
    const double hidden = model.hidden;
    return model.layers * (4 * hidden * hidden + 2 * hidden * model.intermediate);
}

int memory_mib(const Manifest& model) { return static_cast<int>(device_bytes(model) >> 20) + 1; }

// As its workers measured it when they proved its forms, by the fastest method of the slowest
// device: any of them may run the tasks. 0: none has.
double measured_seconds_per_token(const ScoringModel& model) {
    std::map<std::string_view, double> min;
    for (const auto& proof : model.manifest.proofs) {
        const bool is_exact = model.form == kExactForm;
        if (proof.seconds_per_token <= 0 ||
            (!is_exact && (!proof.passed || proof.form != model.form))) {
            continue;
        }
        const double seconds = proof.seconds_per_token * (is_exact ? proof.speedup : 1);
        const auto [known, is_new] = min.try_emplace(proof.device, seconds);
        if (!is_new) known->second = std::min(known->second, seconds);
    }
    double max = 0;
    for (const auto& [device, seconds] : min) max = std::max(max, seconds);
    return max;
}

double seconds_per_token(const ScoringModel& model) {
    if (const double measured = measured_seconds_per_token(model); measured > 0) return measured;
    const auto* proof = passed_proof(model.manifest, model.form);
    const double speedup = proof == nullptr || proof->speedup <= 0 ? 1 : proof->speedup;
    return products_per_token(model.manifest) / kOperationsPerSecond / speedup;
}

template <class Finding>
void add_new(std::vector<Finding>& to, std::vector<Finding> from) {
    for (auto& one : from)
        if (std::ranges::find(to, one) == to.end()) to.push_back(std::move(one));
}

TextKind texts_at(double seconds_per_token) {
    auto texts = kTexts;
    texts.seconds_per_item += kTokensPerText * seconds_per_token;
    texts.seconds_per_byte += seconds_per_token / kBytesPerToken;
    return texts;
}

FieldErrors unknown_model(std::string pointer, const std::string& name,
                          const std::vector<Manifest>& known) {
    std::string names(kVader);
    std::vector<std::string> list{names};
    for (const auto& model : known) {
        names += ", " + model.name;
        list.push_back(model.name);
    }
    return {{std::move(pointer), "unknown_model",
             "No worker has a model \"" + name + "\"." + did_you_mean(name, list) + " Available: " +
                 names + ". Run `plimsoll model add` on a worker's machine to install one."}};
}

std::vector<Manifest> all_models_of(std::span<const std::string> advertisements, TeamId team) {
    std::vector<Manifest> models;
    for (const auto& text : advertisements) {
        const auto advertisement = json::parse(text, nullptr, false);
        if (!advertisement.is_object() || !advertisement.contains(kName)) continue;
        for (auto& model : models_in(advertisement[kName]))
            if (is_for(model.audience, team)) models.push_back(std::move(model));
    }
    return models;
}

}  // namespace

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
            const double min = fastest == nullptr ? 1 : fastest->speedup;
            if (proof.passed && proof.speedup > min) fastest = &proof;
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
    TRY(auto form, form_of(model, asked));
    return ScoringModel{std::move(model), std::move(form)};
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

std::int64_t device_bytes(const Manifest& model) {
    const double batch = kTokensPerBatch * (6.0 * model.hidden + model.intermediate);
    return static_cast<std::int64_t>(4 * (static_cast<double>(model.parameters) + batch));
}

double products_per_token(const Manifest& model) { return 2 * encoder_parameters(model); }

json advertisement_of(const std::vector<Manifest>& models) {
    auto advertised = json::array();
    for (auto model : models) {
        model.files.clear();
        advertised.push_back(model);
    }
    return {{"models", std::move(advertised)}};
}

std::vector<Manifest> models_in(const json& advertisement) {
    std::vector<Manifest> models;
    if (!advertisement.is_object() || !advertisement.contains("models")) return models;
    for (const json& one : advertisement["models"])
        if (auto model = models::manifest_from_json(one)) models.push_back(std::move(*model));
    return models;
}

std::vector<Manifest> models_of(std::span<const std::string> advertisements, TeamId team) {
    auto models = all_models_of(advertisements, team);
    std::erase_if(models, [](const Manifest& model) {
        return !::plimsoll::sentiment::Meaning::of(model.labels);
    });
    const auto key = [](const Manifest& model) { return std::tie(model.name, model.hash); };
    std::ranges::sort(models, {}, key);
    std::vector<Manifest> each;
    for (auto& model : models) {
        if (each.empty() || key(each.back()) != key(model)) {
            each.push_back(std::move(model));
            continue;
        }
        add_new(each.back().proofs, std::move(model.proofs));
        add_new(each.back().accuracies, std::move(model.accuracies));
    }
    return each;
}

std::string resident_name(std::string_view name, std::string_view hash, std::string_view form) {
    auto text = std::string(name) + " " + std::string(shown_hash(hash));
    if (form != kExactForm) text += " " + std::string(form);
    return text;
}

std::string capability_of(std::string_view name, std::string_view hash, std::string_view form) {
    return "model " + resident_name(name, hash, form);
}

Requirement requirement_of(std::span<const ScoringModel> models) {
    if (models.empty()) return {};
    Requirement needs{
        .device_class = "gpu,cpu", .capability = {}, .memory_bucket_mib = 0, .model = {}};
    for (const auto& [model, form] : models) {
        if (!needs.capability.empty()) needs.capability += ',';
        needs.capability += capability_of(model.name, model.hash, form);
        // They are loaded one after the other: the largest decides.
        needs.memory_bucket_mib = std::max(needs.memory_bucket_mib, memory_mib(model));
    }
    const auto& [first, form] = models.front();
    needs.model = resident_name(first.name, first.hash, form);
    return needs;
}

TextKind texts_of(std::span<const ScoringModel> models) {
    double token = 0;
    for (const auto& model : models) token = std::max(token, seconds_per_token(model));
    return texts_at(token);
}

TextKind texts_of_all(std::span<const ScoringModel> models) {
    double token = 0;
    for (const auto& model : models) token += seconds_per_token(model);
    return texts_at(token);
}

tl::expected<Manifest, FieldErrors> named_model(std::string pointer, const std::string& name,
                                                const PlanningContext& planning_context) {
    const auto known = models_of(planning_context.advertisements, planning_context.team);
    const auto absent = models_of(planning_context.absent_advertisements, planning_context.team);
    for (const auto* models : {&known, &absent}) {
        const auto found = std::ranges::find(*models, name, &Manifest::name);
        if (found != models->end()) return *found;
    }
    const auto advertised = all_models_of(planning_context.advertisements, planning_context.team);
    const auto unfit = std::ranges::find(advertised, name, &Manifest::name);
    if (unfit != advertised.end()) {
        const auto meaning = ::plimsoll::sentiment::Meaning::of(unfit->labels);
        const bool has_head = !unfit->labels.empty();
        return tl::unexpected(FieldErrors{
            {std::move(pointer), "not_a_classifier",
             has_head ? "The model \"" + name + "\" cannot score texts: " + meaning.error().message
                      : "The model \"" + name +
                            "\" has no classification head and cannot score texts; it makes "
                            "embeddings: `plimsoll-engine embed " +
                            name + " FILE`."}});
    }
    return tl::unexpected(unknown_model(std::move(pointer), name, known));
}

}  // namespace plimsoll::jobs::sentiment
