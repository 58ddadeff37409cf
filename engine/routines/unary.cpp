#include "engine/routines/unary.hpp"

#include "engine/routines/rows.hpp"

namespace plimsoll::routines {
namespace {

std::string name_of(Function function) {
    switch (function) {
        case Function::exp:
            return "vector_exp";
        case Function::erf:
            return "vector_erf";
        case Function::tanh:
            return "vector_tanh";
        case Function::gelu:
            return "vector_gelu";
        case Function::relu:
            return "vector_relu";
    }
    return {};
}

}  // namespace

Result<void> unary(opencl::Programs& programs, Flavour flavour, Function function,
                   const opencl::Buffer& in, const opencl::Buffer& out, Shape shape) {
    return over_rows(programs, flavour, "unary", "-DFUNCTION=" + name_of(function), shape, in, out);
}

}  // namespace plimsoll::routines
