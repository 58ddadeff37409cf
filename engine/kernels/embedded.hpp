#pragma once

#include <span>
#include <string_view>

namespace plimsoll::kernels {

struct Kernel {
    std::string_view name;    // file name without ".cl"
    std::string_view source;  // OpenCL C
};

// All kernels of these folders.
std::span<const Kernel> embedded();

// The OpenCL C of `name`.cl. Throws std::logic_error when there is no such file: names are written
// in our own code.
std::string_view source(std::string_view name);

}  // namespace plimsoll::kernels
