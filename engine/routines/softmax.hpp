#pragma once

#include "engine/routines/flavour.hpp"

namespace plimsoll::routines {

// The softmax of each row: fp32, finite. `out` may be `in`. Enqueued in order, without waiting;
// buffers hold at least `shape`.
Result<void> softmax(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                     const opencl::Buffer& out, Shape shape);

}  // namespace plimsoll::routines
