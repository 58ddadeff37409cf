#include "engine/routines/softmax.hpp"

#include "engine/routines/rows.hpp"

namespace plimsoll::routines {

Result<void> softmax(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                     const opencl::Buffer& out, Shape shape) {
    return over_rows(programs, flavour, "softmax", {}, shape, in, out);
}

}  // namespace plimsoll::routines
