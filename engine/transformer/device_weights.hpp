#pragma once

#include "engine/base/watch.hpp"
#include "engine/model_files/model.hpp"
#include "engine/opencl/memory/ledger.hpp"
#include "engine/routines/gemm.hpp"
#include "engine/tuning/gemm_plans.hpp"

#include <vector>

namespace plimsoll::transformer {

// A matrix of the model on its device, packed for products with it.
struct Matrix {
    opencl::Buffer packed;
    opencl::Buffer bias;
    std::uint32_t outputs = 0;
    std::uint32_t inputs = 0;
    routines::Method method = routines::Method::block_fp32;  // of products with it
    std::uint32_t vectors = 0;                               // of the plan for which it was packed
};

// How products are computed: those of the layers, and those of the head, which is always in fp32.
struct Methods {
    routines::Method layers;
    routines::Method head;
};

struct NormWeights {
    opencl::Buffer gain;
    opencl::Buffer shift;
};

struct LayerWeights {
    Matrix query_key_value;  // concatenated by rows
    Matrix output;
    NormWeights attention_norm;
    Matrix up;
    Matrix down;
    NormWeights output_norm;
};

// All weights of a model on a device.
struct DeviceWeights {
    opencl::Buffer words;
    opencl::Buffer positions;
    opencl::Buffer types;  // the first of the table; empty if the family has none
    NormWeights embedding_norm;
    std::vector<LayerWeights> layers;
    Matrix head;  // of a model with labels
    Matrix labels;
};

// The bytes that load_weights() allocates.
std::uint64_t weight_bytes(const model_files::Config& config, const tuning::Plans& plans,
                           const Methods& methods);

// What it allocates temporarily besides them.
std::uint64_t loading_bytes(const model_files::Config& config);

// Reads, checks and packs the weights, tensor by tensor: the host holds one matrix at a time.
// Errc::corrupt names a tensor that holds a NaN or an infinity. `watch` is checked between tensors:
// Errc::cancelled.
Result<DeviceWeights> load_weights(opencl::Programs& programs, const tuning::Plans& plans,
                                   const Methods& methods, const model_files::Model& model,
                                   const Watch& watch);

}  // namespace plimsoll::transformer
