#pragma once

#include "engine/training/models/model_shape.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::training {

// Low-rank adapters as peft adds them: the wrapped model is frozen, each target gets two matrices
// of `rank` columns. Query/value means the one product that makes q, k and v where a family has it
// (GPT-2, GPT-NeoX, Phi-3).
struct Lora {
    int rank = 0;  // 0 = no adapters, everything trains
    enum class Targets { query_value, all_linear, modules } targets = Targets::query_value;
    std::vector<std::string> modules = {};  // linear layers by their names in transformers
    double dropout = 0.1;
    // What is in fp32 beside 16-bit weights: adapters, which is peft's own choice
    // (autocast_adapter_dtype), or all that is trained, as LLaMA-Factory has it. Or all that is
    // trained is in 16 bits, also beside fp32, as TRL has it on quantized weights.
    enum class Wide { none, adapters, all, narrow } wide = Wide::adapters;
    bool dora = false;  // adapters with a direction and a trained magnitude for every output
    // Tables of words and heads that peft trains whole (modules_to_save), by their names in
    // transformers: a copy of each, beside which the original stays.
    std::vector<std::string> whole = {};
};

// A parameter's part of the model; the report groups by it.
enum class Part { embeddings, layer, head };

struct Parameter {
    std::int64_t elements = 0;
    std::int32_t layer = -1;  // index among all layers of the model, -1 outside
    Part part = Part::layer;
    bool trainable = true;
    bool adapter = false;
    bool linear = false;      // the weight of a layer's linear layer: quantized by bitsandbytes
    bool matrix = false;      // at least two dimensions: Adafactor keeps rows and columns of it
    std::int32_t rows = 0;    // of a matrix
    bool divided = false;     // of experts, of which other cards have others
    std::int32_t blocks = 0;  // experts in one tensor, none of which FSDP cuts
    bool copied = false;      // trained in place of the table or head before it, or of a tied one
};

// Every parameter tensor in the order in which the module tree lists them, which is the order in
// which `model.to(device)` allocates them. Tied tensors appear once.
std::vector<Parameter> list_parameters(const ModelShape& shape, const Lora& lora);

// The linear layers that adapters can wrap, by their names in transformers, each once, in order.
std::vector<std::string> linear_layers(const ModelShape& shape);

// The ones meant by "query/value".
std::vector<std::string> query_value_layers(const ModelShape& shape);

// The tables and heads that `Lora::whole` can name.
std::vector<std::string> whole_modules(const ModelShape& shape);

// Non-parameter tensors that move to the device with the model, in bytes, in order.
std::vector<std::int64_t> list_buffers(const ModelShape& shape);

std::int64_t count(const std::vector<Parameter>& parameters, bool trainable_only);

// An approximation for limit checks that cannot overflow for dimensions within their ranges.
double approximate_parameters(const ModelShape& shape);

}  // namespace plimsoll::training
