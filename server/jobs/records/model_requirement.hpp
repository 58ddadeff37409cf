#pragma once

#include "server/base/id.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/settings.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// Published models as tasks need them from their worker, for all kinds that use them.

namespace plimsoll::jobs {

// Whether a team may see and use a model with this audience (models::Manifest): that of all, or its
// own.
inline bool is_for(std::string_view audience, TeamId team) {
    return audience.empty() || audience == to_public(team);
}

// Where the published models of a worker's machine are, for all kinds that use them.
inline constexpr KindSetting kModelsFolder{
    .key = "models.folder",
    .variable = "PLIMSOLL_MODELS",
    .unit = "folder",
    .help =
        "Model folder of this machine; empty: /var/lib/plimsoll/models for root, else models in "
        "the user's state folder",
    .default_value = "",
    .check = any_text,
    .readers = kWorkers | kDoctor};
std::filesystem::path models_folder(const KindSettings& settings);

inline constexpr std::string_view kExactForm = "fp32";

// A hash as capabilities name it.
std::string_view shown_hash(std::string_view hash);

// The model of a capability: "model finbert 0123456789ab bf16", or "measure …" for a measurement of
// it. None: it is another ability.
std::optional<MissingCapability::Model> model_of_capability(std::string_view capability);

// For Contract::explain_missing.
std::optional<MissingCapability> explain_missing_models(std::span<const std::string> missing,
                                                        std::span<const std::string> instead);

}  // namespace plimsoll::jobs
