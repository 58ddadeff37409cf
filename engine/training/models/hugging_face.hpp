#pragma once

#include "engine/base/result.hpp"
#include "engine/training/models/model_shape.hpp"

#include <string_view>

namespace plimsoll::training {

// A model from the text of its Hugging Face config.json, completed by its class's defaults. An
// error's `where` is the JSON pointer of
// the key, in the file's own spelling ("/num_attention_heads").
Result<ModelShape> from_hugging_face(std::string_view config_json);

}  // namespace plimsoll::training
