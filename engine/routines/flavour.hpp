#pragma once

#include "engine/opencl/runtime/invoke.hpp"
#include "engine/opencl/runtime/programs.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::routines {

// How a kernel's work is distributed (kernels/rows/rows.cl): a work-item owns a block (processors),
// or a work-group shares it (GPUs).
enum class Flavour { block, group };

Flavour flavour_for(const opencl::DeviceInfo& info);

// A matrix's shape, row-major without gaps. Sizes from 0 to 2^32 - 1.
struct Shape {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
};

// The kernel `name` from the file of that name, compiled after the code that row kernels share.
Result<const opencl::Kernel*> row_kernel(opencl::Programs& programs, Flavour flavour,
                                         const std::string& name, const std::string& options = {});
std::string row_source(const std::vector<std::string_view>& names);
std::string row_options(Flavour flavour);

// Work-items for this number of rows.
opencl::Range row_range(Flavour flavour, std::size_t rows);

}  // namespace plimsoll::routines
