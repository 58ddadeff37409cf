#pragma once

#include <span>
#include <string_view>

namespace plimsoll::kernels {

struct Kernel {
    std::string_view name;    // file name without ".cl"
    std::string_view source;  // OpenCL C
};

// All kernels of this room.
std::span<const Kernel> embedded();

// The OpenCL C of `name`.cl. Throws std::logic_error for an unknown name: names are constants in
// our own code.
std::string_view source(std::string_view name);

}  // namespace plimsoll::kernels
