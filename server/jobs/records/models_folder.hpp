#pragma once

#include "server/jobs/settings.hpp"

#include <filesystem>

namespace plimsoll::jobs {

// Where the published models of a worker's machine are, for all kinds that use them.
inline constexpr KindSetting kModelsFolder{
    .key = "models.folder",
    .variable = "PLIMSOLL_MODELS",
    .unit = "folder",
    .help =
        "Model folder of this machine; empty: /var/lib/plimsoll/models for root, else models in "
        "the user's state folder",
    .usual = "",
    .check = any_text,
    .readers = kWorkers | kDoctor};
std::filesystem::path models_folder(const KindSettings& settings);

}  // namespace plimsoll::jobs
