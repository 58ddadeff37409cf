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

Result<void> softmax(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                     const opencl::Buffer& out, Shape shape) {
    return over_rows(programs, flavour, "softmax", {}, shape, in, out);
}

Result<void> unary(opencl::Programs& programs, Flavour flavour, Function function,
                   const opencl::Buffer& in, const opencl::Buffer& out, Shape shape) {
    static constexpr std::string_view kNames[] = {"exp", "erf", "tanh", "gelu", "relu"};
    const std::string name(kNames[static_cast<std::size_t>(function)]);
    return over_rows(programs, flavour, "unary", "-DFUNCTION=vector_" + name, shape, in, out);
}

}  // namespace plimsoll::routines
