#include "server/kinds/sentiment/command/examine.hpp"

#include "engine/models/store.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"

#include <algorithm>

namespace plimsoll::jobs::sentiment {

std::vector<terminal::Finding> examine(const KindSettings& settings) {
    using Grade = terminal::Finding::Grade;
    const models::Store store(models_folder(settings));
    const std::string folder = store.folder().string();
    std::vector<terminal::Finding> findings;
    std::string names;
    const auto sound = store.list();
    for (const auto& model : sound) names += (names.empty() ? "" : ", ") + model.name;
    findings.push_back({Grade::good, "Models",
                        names.empty() ? "VADER; no published model is in " + folder + "."
                                      : "VADER, and in " + folder + ": " + names + ".",
                        ""});
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(store.folder(), none)) {
        const auto name = entry.path().filename().string();
        // Other names are those of models that are being installed.
        if (!entry.is_directory(none) || !models::is_model_name(name)) continue;
        if (std::ranges::find(sound, name, &models::Manifest::name) != sound.end()) continue;
        findings.push_back({Grade::remark, "Models", "The model " + name + " is damaged.",
                            "Remove " + entry.path().string() +
                                " and install it again: plimsoll "
                                "model pull " +
                                name + "."});
    }
    return findings;
}

}  // namespace plimsoll::jobs::sentiment
