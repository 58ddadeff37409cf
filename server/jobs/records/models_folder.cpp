#include "server/jobs/records/models_folder.hpp"

#include "engine/models/store.hpp"

namespace plimsoll::jobs {

std::filesystem::path models_folder(const KindSettings& settings) {
    const auto chosen = settings.text(kModelsFolder);
    return chosen.empty() ? models::default_folder() : std::filesystem::path(chosen);
}

}  // namespace plimsoll::jobs
