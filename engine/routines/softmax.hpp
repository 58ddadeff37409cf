#pragma once

#include "engine/routines/flavour.hpp"

namespace plimsoll::routines {

// The softmax of each row: fp32, finite. `out` may be `in`. Launched in order, without waiting;
// buffers hold at least what the shape says.
Result<void> softmax(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                     const opencl::Buffer& out, Shape shape);

}  // namespace plimsoll::routines
