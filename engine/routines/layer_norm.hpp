#pragma once

#include "engine/routines/flavour.hpp"

namespace plimsoll::routines {

// `gain` and `shift` hold one number per column.
struct Norm {
    const opencl::Buffer& gain;
    const opencl::Buffer& shift;
    float epsilon;  // added to the variance
};

// Normalizes the rows of `in`, plus those of `residual` unless null: fp32, finite. `out` may be
// either of them. `copy`, on GPUs: `out` once more, in bf16. Enqueued in order, without waiting;
// buffers hold at least `shape`.
Result<void> layer_norm(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                        const opencl::Buffer* residual, const Norm& norm, const opencl::Buffer& out,
                        Shape shape, const opencl::Buffer* copy = nullptr);

}  // namespace plimsoll::routines
