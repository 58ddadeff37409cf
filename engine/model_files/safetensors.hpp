#pragma once

#include "engine/model_files/tensor.hpp"

namespace plimsoll::model_files {

// Reads `model.safetensors`: 8 bytes for the length of a JSON header, the header, the tensors.
// Source of the format: huggingface.co/docs/safetensors. Errc::corrupt names the broken rule: a
// header beyond the file or over 100 MB, a duplicate name, tensors outside the data, overlapping or
// with gaps, or whose size does not match their shape.
Result<TensorFile> read_safetensors(const std::filesystem::path& path);

// Reads the parts that `model.safetensors.index.json` names, beside it.
Result<TensorFile> read_safetensors_parts(const std::filesystem::path& index);
// "model-00001-of-00002.safetensors"
bool is_safetensors_part(std::string_view name);

}  // namespace plimsoll::model_files
