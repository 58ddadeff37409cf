#pragma once

#include "engine/base/result.hpp"
#include "engine/models/accuracy.hpp"
#include "engine/transformer/guard.hpp"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::cli {

// Texts, and where somebody labelled them: the class of each (class_of()).
struct LabelledTexts {
    std::vector<std::string> texts;
    std::vector<std::size_t> classes;  // empty: nobody did
};

// "own=positive", by the own name. Errc::invalid_input.
Result<std::map<std::string, std::string>> label_names(const std::vector<std::string>& flags);

// The texts of a file of CSV or JSON lines.
Result<LabelledTexts> read_texts(const std::filesystem::path& file);
// With the column "label", whose values are labels of models, or `names` of one's own.
// Errc::invalid_input names the first line whose label means nothing.
Result<LabelledTexts> read_labelled_texts(const std::filesystem::path& file,
                                          const std::map<std::string, std::string>& names);

// How often each form of a model with these labels gives the texts theirs. Neutral texts do not
// count for a model that has no such label. Errc::invalid_input: then none is left.
Result<std::vector<models::Accuracy>> judge(const LabelledTexts& given,
                                            std::span<const std::string> labels,
                                            std::span<const transformer::Said> said);

}  // namespace plimsoll::cli
