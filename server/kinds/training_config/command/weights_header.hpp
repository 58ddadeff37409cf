#pragma once

#include "engine/base/json.hpp"
#include "engine/base/result.hpp"

#include <filesystem>

// A file of weights without its config.json: what its header says of the model.
namespace plimsoll::jobs::training_config {

// Whether the file's name is one of them: .gguf, .safetensors.
bool is_weights_file(const std::filesystem::path& path);

// The config.json of the model, as far as memory depends on it. Of a part such as
// model-00001-of-00004.safetensors, all parts that the index beside it names are read. GGUF is that
// of llama.cpp (github.com/ggml-org/ggml, docs/gguf.md), versions 2 and 3; its model counts as one
// of 16 bits, which it was made from. Errors say what the header does not, and name the file.
Result<json> config_of_weights(const std::filesystem::path& path);

}  // namespace plimsoll::jobs::training_config
