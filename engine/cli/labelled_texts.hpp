#pragma once

#include "engine/base/result.hpp"
#include "engine/models/findings.hpp"
#include "engine/transformer/guard.hpp"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::cli {

// Texts and, if they are labelled, the class of each (class_of()).
struct LabelledTexts {
    std::vector<std::string> texts;
    std::vector<std::size_t> classes;  // empty: unlabelled
};

// Parses flags such as "own=positive" into a map keyed by the file's own label.
// Errc::invalid_input.
Result<std::map<std::string, std::string>> label_names(const std::vector<std::string>& flags);

// Reads the texts of a CSV or JSON Lines file.
Result<LabelledTexts> read_texts(const std::filesystem::path& file);
// The same with the column "label", whose values are labels of models or keys of `names`.
// Errc::invalid_input names the first line with an unknown label.
Result<LabelledTexts> read_labelled_texts(const std::filesystem::path& file,
                                          const std::map<std::string, std::string>& names);

// The accuracy of each form of a model with these labels. Neutral texts do not count for a model
// without a neutral label. Errc::invalid_input if no text is left.
Result<std::vector<models::Accuracy>> judge(const LabelledTexts& given,
                                            std::span<const std::string> labels,
                                            std::span<const transformer::FormOutput> outputs);

}  // namespace plimsoll::cli
