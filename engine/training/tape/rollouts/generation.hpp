#pragma once

#include "engine/training/tape/families/models.hpp"

#include <cstdint>

namespace plimsoll::training {

// What generate() of transformers holds for this many answers at once: while it reads the prompts,
// and at the last token. The cache grows by copies; the segments that these leave free are returned
// to the driver before memory runs out, and are not counted. Returns the scores of all words for
// all tokens in fp32, if they are kept.
Var generate(Graph& g, ModelShape shape, std::int64_t texts, bool keeps_scores = false);

}  // namespace plimsoll::training
