#include "engine/routines/layer_norm.hpp"

#include "engine/routines/rows.hpp"

namespace plimsoll::routines {

Result<void> layer_norm(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                        const opencl::Buffer* residual, const Norm& norm, const opencl::Buffer& out,
                        Shape shape, const opencl::Buffer* copy) {
    const auto options = std::string("-DRESIDUAL=") + (residual == nullptr ? "0" : "1") +
                         " -DCOPY=" + (copy == nullptr ? "0" : "1");
    return over_rows(programs, flavour, "layer_norm", options, shape, in,
                     residual == nullptr ? in : *residual, out, copy == nullptr ? out : *copy,
                     norm.gain, norm.shift, norm.epsilon);
}

}  // namespace plimsoll::routines
