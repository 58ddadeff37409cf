#pragma once

#include "engine/routines/method.hpp"

#include <string>

namespace plimsoll::routines {

// Builds the kernel of the file `name` and runs it over the rows of `shape`, which are its last two
// arguments. Enqueued in order, without waiting.
template <class... Arguments>
Result<void> over_rows(opencl::Programs& programs, Flavour flavour, const std::string& name,
                       const std::string& options, Shape shape, const Arguments&... arguments) {
    TRY(const auto kernel, row_kernel(programs, flavour, name, options));
    return opencl::invoke(programs.device(), *kernel, row_range(flavour, shape.rows), arguments...,
                          shape.rows, shape.columns);
}

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

// The softmax of each row: fp32, finite. `out` may be `in`. Enqueued in order, without waiting;
// buffers hold at least `shape`.
Result<void> softmax(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                     const opencl::Buffer& out, Shape shape);

enum class Function { exp, erf, tanh, gelu, relu };

// out = function(in), element by element: fp32, finite. `out` may be `in`. Enqueued in order,
// without waiting; buffers hold at least `shape`.
Result<void> unary(opencl::Programs& programs, Flavour flavour, Function function,
                   const opencl::Buffer& in, const opencl::Buffer& out, Shape shape);

}  // namespace plimsoll::routines
