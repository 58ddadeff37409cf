#pragma once

#include "engine/model_files/tensor.hpp"

namespace plimsoll::model_files {

// Reads `pytorch_model.bin`, a state dictionary written by torch.save: an archive (since PyTorch
// 1.6) or the older format. Runs nothing from the file: only tensors are understood. Source of the
// formats: torch/serialization.py of PyTorch 2.11. Errc::corrupt says what is not understood.
Result<TensorFile> read_torch(const std::filesystem::path& path);

}  // namespace plimsoll::model_files
