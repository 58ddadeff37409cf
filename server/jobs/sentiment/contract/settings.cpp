#include "server/jobs/sentiment/contract/settings.hpp"

#include "engine/models/store.hpp"

#include <limits>

namespace plimsoll::jobs::sentiment {

Result<std::string> check_batch_size(std::string_view value) {
    return whole_number(value, 0, kMostTexts);
}

std::filesystem::path models_folder(const KindSettings& settings) {
    const auto chosen = settings.text(kModels);
    return chosen.empty() ? models::default_folder() : std::filesystem::path(chosen);
}

std::size_t most_texts(const KindSettings& settings) {
    const auto texts = std::stoul(std::string(settings.text(kBatchSize)));
    return texts == 0 ? std::numeric_limits<std::size_t>::max() : texts;
}

}  // namespace plimsoll::jobs::sentiment
