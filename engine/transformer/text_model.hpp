#pragma once

#include "engine/tokenizers/tokenizer.hpp"
#include "engine/transformer/classifier.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace plimsoll::transformer {

// A published model in a folder: its tokenizer, and its weights on a device with room for batches.
struct TextModel {
    tokenizers::Tokenizer tokenizer;
    std::unique_ptr<Classifier> classifier;

    // Errors are those of Tokenizer::read(), open_model() and Classifier::load().
    static Result<TextModel> load(const std::filesystem::path& folder, opencl::Programs& programs,
                                  opencl::Ledger& ledger, const opencl::Capability& capability,
                                  const tuning::Plans& plans, routines::Method method,
                                  const Watch& watch);
};

// Gets a text's embedding, in order: the mean of its tokens after the last layer, of length 1, and
// whether the text was truncated.
using TakeEmbedding = std::function<void(std::span<const float>, bool truncated)>;

// The embeddings of texts by a model without a head. They depend on the text, the model and its
// form alone. Errc::invalid_input if the model has a head, Errc::cancelled.
Result<void> embed(TextModel& model, std::span<const std::string> texts, const Watch& watch,
                   const TakeEmbedding& take);

}  // namespace plimsoll::transformer
