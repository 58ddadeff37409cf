#pragma once

#include "engine/transformer/text_model.hpp"

#include <functional>
#include <span>
#include <string>

namespace plimsoll::transformer {

// Gets a text's embedding, in order: the mean of its tokens after the last layer, of length 1, and
// whether the text was truncated.
using TakeEmbedding = std::function<void(std::span<const float>, bool truncated)>;

// The embeddings of texts by a model without a head. They depend on the text, the model and its
// form alone. Errc::invalid_input if the model has a head, Errc::cancelled.
Result<void> embed(TextModel& model, std::span<const std::string> texts, const Watch& watch,
                   const TakeEmbedding& take);

}  // namespace plimsoll::transformer
