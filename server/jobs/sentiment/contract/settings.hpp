#pragma once

#include "server/jobs/settings.hpp"

#include <array>
#include <cstddef>
#include <filesystem>

namespace plimsoll::jobs::sentiment {

inline constexpr int kMostTexts = 1024;  // of a batch

// For KindSetting::check.
Result<std::string> check_batch_size(std::string_view value);

inline constexpr KindSetting kModels{
    .key = "models.folder",
    .variable = "PLIMSOLL_MODELS",
    .unit = "folder",
    .help =
        "Where this machine keeps its models; empty: /var/lib/plimsoll/models for root, else "
        "models in the user's state folder",
    .usual = "",
    .check = any_text};
inline constexpr KindSetting kBatchSize{
    .key = "sentiment.batch_size",
    .variable = "SENTIMENT_BATCH_SIZE",
    .unit = "0..1024, texts",
    .help =
        "The most texts of a batch on a device; 0: as many as it computes in a quarter of a "
        "second. Scores do not depend on it",
    .usual = "0",
    .check = check_batch_size};

inline constexpr std::array kSettings = {kModels, kBatchSize};

// They were checked.
std::filesystem::path models_folder(const KindSettings& settings);
std::size_t most_texts(const KindSettings& settings);

}  // namespace plimsoll::jobs::sentiment
