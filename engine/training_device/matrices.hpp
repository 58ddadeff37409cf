#pragma once

#include "engine/training/tape/settings.hpp"

#include <cstdint>
#include <vector>

namespace plimsoll::training {

// Weights of one shape: activations of `depth` columns are multiplied by them into `columns`.
struct MatrixShape {
    std::int64_t columns = 0;
    std::int64_t depth = 0;
    std::int64_t count = 0;  // in the whole model

    double flops_per_row() const {
        return 2.0 * static_cast<double>(columns) * static_cast<double>(depth);
    }
};

// The weights in matrix products, those with the most work first; embeddings are looked up,
// adapters are small, so neither is listed. The shape must be validated.
std::vector<MatrixShape> matrix_shapes(const ModelShape& shape);

// The work of a training step's matrix products for one sample: forward, backward and attention.
double matrix_flops_per_sample(const ModelShape& shape, TrainingSettings settings);

}  // namespace plimsoll::training
