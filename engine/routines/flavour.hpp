#pragma once

#include "engine/opencl/runtime/invoke.hpp"
#include "engine/opencl/runtime/programs.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::routines {

// How the work of a kernel is dealt out (kernels/rows/rows.cl): a work-item owns a block, or a
// work-group shares it.
enum class Flavour { block, group };

Flavour flavour_for(const opencl::DeviceInfo& info);

// A matrix's shape, row-major without gaps. All sizes are fine, 0 included, as long as they are
// below 2^32.
struct Shape {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
};

// The kernel `name` of the file of that name, behind what kernels over rows share.
Result<const opencl::Kernel*> row_kernel(opencl::Programs& programs, Flavour flavour,
                                         const std::string& name, const std::string& options = {});
std::string row_source(const std::vector<std::string_view>& names);
std::string row_options(Flavour flavour);

// Work-items for so many rows.
opencl::Range row_range(Flavour flavour, std::size_t rows);

}  // namespace plimsoll::routines
