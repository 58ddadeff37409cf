#pragma once

#include "engine/routines/flavour.hpp"

namespace plimsoll::routines {

enum class Function { exp, erf, tanh, gelu, relu };

// out = function(in), element by element: fp32, finite. `out` may be `in`. Enqueued in order,
// without waiting; buffers hold at least `shape`.
Result<void> unary(opencl::Programs& programs, Flavour flavour, Function function,
                   const opencl::Buffer& in, const opencl::Buffer& out, Shape shape);

}  // namespace plimsoll::routines
