#pragma once

#include "engine/tokenizers/tokenizer.hpp"
#include "engine/transformer/classifier.hpp"

#include <filesystem>
#include <memory>

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

}  // namespace plimsoll::transformer
