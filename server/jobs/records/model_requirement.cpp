#include "server/jobs/records/model_requirement.hpp"

#include "engine/models/store.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace plimsoll::jobs {
namespace {

constexpr std::size_t kShownHash = 12;

std::vector<MissingCapability::Model> models_among(std::span<const std::string> capabilities) {
    std::vector<MissingCapability::Model> models;
    for (const auto& capability : capabilities)
        if (auto model = model_of_capability(capability)) models.push_back(std::move(*model));
    return models;
}

std::string named(std::span<const MissingCapability::Model> models) {
    std::string text = models.size() == 1 ? "the model " : "the models ";
    for (std::size_t i = 0; i < models.size(); ++i) {
        const bool last = i + 1 == models.size();
        text += i == 0 ? "" : last ? " and " : ", ";
        text += models[i].name;
        if (models[i].form != kExactForm) text += " in " + models[i].form;
    }
    return text;
}

std::string advice_for(const MissingCapability::Model& model,
                       std::span<const MissingCapability::Model> there) {
    const auto has = [&](bool same_files) {
        return std::ranges::any_of(there, [&](const MissingCapability::Model& one) {
            return one.name == model.name && (one.hash == model.hash) == same_files;
        });
    };
    if (has(true)) {
        return "Idle workers will prove the form; to prove it now, run `plimsoll-engine prove " +
               model.name + "` on their machine.";
    }
    const auto files =
        has(false)
            ? "Other files of this name are installed; the job needs the files with the hash " +
                  model.hash + ". "
            : std::string();
    return files + "Install the model on a worker's machine: plimsoll model pull " + model.name +
           ", or model add with its files.";
}

}  // namespace

std::filesystem::path models_folder(const KindSettings& settings) {
    const auto chosen = settings.text(kModelsFolder);
    return chosen.empty() ? models::default_folder() : std::filesystem::path(chosen);
}

std::string_view shown_hash(std::string_view hash) { return hash.substr(0, kShownHash); }

std::optional<MissingCapability::Model> model_of_capability(std::string_view capability) {
    std::array<std::string_view, 4> words;  // the sort, name, hash, form
    for (auto& word : words) {
        word = capability.substr(0, capability.find(' '));
        capability.remove_prefix(std::min(capability.size(), word.size() + 1));
    }
    const auto& [sort, name, hash, form] = words;
    if ((sort != "model" && sort != "measure") || hash.empty()) return std::nullopt;
    return MissingCapability::Model{std::string(name), std::string(hash),
                                    std::string(form.empty() ? kExactForm : form)};
}

std::optional<MissingCapability> explain_missing_models(std::span<const std::string> missing,
                                                        std::span<const std::string> instead) {
    auto models = models_among(missing);
    if (models.empty()) return std::nullopt;
    auto what = named(models);
    auto advice = advice_for(models.front(), models_among(instead));
    return MissingCapability{
        .models = std::move(models), .what = std::move(what), .advice = std::move(advice)};
}

}  // namespace plimsoll::jobs
