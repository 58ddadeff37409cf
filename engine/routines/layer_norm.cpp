#include "engine/routines/layer_norm.hpp"

#include "engine/routines/rows.hpp"

namespace plimsoll::routines {

Result<void> layer_norm(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                        const opencl::Buffer* residual, const Norm& norm, const opencl::Buffer& out,
                        Shape shape) {
    return over_rows(
        programs, flavour, "layer_norm", residual == nullptr ? "-DRESIDUAL=0" : "-DRESIDUAL=1",
        shape, in, residual == nullptr ? in : *residual, out, norm.gain, norm.shift, norm.epsilon);
}

}  // namespace plimsoll::routines
