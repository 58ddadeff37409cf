#include "engine/cli/model_store.hpp"

#include <cstdlib>

namespace plimsoll::cli {

models::Store model_store(const std::filesystem::path& folder) {
    if (!folder.empty()) return models::Store(folder);
    const char* named = std::getenv("PLIMSOLL_MODELS");
    return models::Store(named != nullptr && *named != '\0' ? std::filesystem::path(named)
                                                            : models::default_folder());
}

}  // namespace plimsoll::cli
