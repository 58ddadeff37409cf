#pragma once

#include "engine/model_files/tensor.hpp"

namespace plimsoll::model_files {

// Reads `model.safetensors`: 8 bytes for the length of a JSON header, the header, the tensors.
// Source of the format: huggingface.co/docs/safetensors. Errc::corrupt names the broken rule: a
// header beyond the file or over 100 MB, a duplicate name, tensors outside the data, overlapping or
// with gaps, or whose size does not match their shape.
Result<TensorFile> read_safetensors(const std::filesystem::path& path);

}  // namespace plimsoll::model_files
