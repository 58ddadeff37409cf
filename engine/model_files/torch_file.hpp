#pragma once

#include "engine/model_files/tensor.hpp"

namespace plimsoll::model_files {

// Reads `pytorch_model.bin`, a state dictionary that torch.save wrote: an archive (since PyTorch
// 1.6) or the format before it. Runs nothing that stands in the file: tensors, and nothing else,
// are understood. Source of the formats: torch/serialization.py of PyTorch 2.11. Errc::corrupt says
// what is not understood.
Result<TensorFile> read_torch(const std::filesystem::path& path);

}  // namespace plimsoll::model_files
