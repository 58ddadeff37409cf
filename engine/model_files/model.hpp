#pragma once

#include "engine/model_files/config.hpp"
#include "engine/model_files/tensor.hpp"

#include <string>
#include <vector>

namespace plimsoll::model_files {

// A tensor of a file, under its name there.
struct Named {
    std::string name;
    const Tensor* tensor = nullptr;
};

// y = x W^T + b, with W as [outputs][inputs].
struct Linear {
    Named weight;
    Named bias;
};

struct LayerNorm {
    Named gain;
    Named shift;
};

struct EncoderLayer {
    Linear query, key, value;
    Linear output;  // of attention
    LayerNorm attention_norm;
    Linear up, down;  // of the feed-forward network
    LayerNorm output_norm;
};

// The weights by purpose; every shape matches the config.
struct Weights {
    Named words;
    Named positions;
    Named types;  // no tensor if the family has none
    LayerNorm embedding_norm;
    std::vector<EncoderLayer> layers;
    // Of a model with labels.
    Linear head;    // hidden to hidden, before its activation (tanh, of DistilBERT ReLU)
    Linear labels;  // hidden to labels
};

// A published model in a folder: config.json and model.safetensors, whole or in parts with an
// index, or pytorch_model.bin. Weights point into the files. Without a classification head it is an
// encoder, whose config has no labels here.
struct Model {
    Config config;
    TensorFile file;
    Weights weights;

    std::uint64_t parameters() const;
};

// Reads and checks everything but the numbers. Errc::not_found without a file; Errc::invalid_input
// or Errc::corrupt names what is missing, has a different shape than the config says, or is not
// supported.
Result<Model> open_model(const std::filesystem::path& folder);

}  // namespace plimsoll::model_files
