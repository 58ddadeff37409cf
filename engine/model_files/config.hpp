#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::model_files {

enum class Family { bert, distilbert, roberta };

std::string_view to_string(Family family);

// The encoder and head described by a model's config.json.
struct Config {
    Family family = Family::bert;
    std::uint32_t hidden = 0;
    std::uint32_t layers = 0;
    std::uint32_t heads = 0;
    std::uint32_t intermediate = 0;
    std::uint32_t vocabulary = 0;
    std::uint32_t positions = 0;       // rows of the table
    std::uint32_t first_position = 0;  // for RoBERTa: after that of the padding token
    std::uint32_t token_types = 0;     // 0: it has none (DistilBERT)
    float epsilon = 1e-12F;
    std::vector<std::string> labels;  // in order of their numbers

    // Tokens of the longest text, including the special tokens around it.
    std::uint32_t longest() const { return positions - first_position; }
};

// Reads config.json. Errc::not_found; Errc::invalid_input names the field and the supported values:
// BERT, DistilBERT and RoBERTa with GELU, absolute positions, heads of a multiple of 16 up to 256
// numbers, one label per text.
Result<Config> read_config(const std::filesystem::path& model);

}  // namespace plimsoll::model_files
