#pragma once

#include "engine/routines/flavour.hpp"

#include <string>

namespace plimsoll::routines {

// Builds the kernel of the file `name` and runs it over the rows of `shape`, which are its last two
// arguments. Enqueued in order, without waiting.
template <class... Arguments>
Result<void> over_rows(opencl::Programs& programs, Flavour flavour, const std::string& name,
                       const std::string& options, Shape shape, const Arguments&... arguments) {
    const auto kernel = row_kernel(programs, flavour, name, options);
    if (!kernel) return fail(kernel.error());
    return opencl::invoke(programs.device(), **kernel, row_range(flavour, shape.rows), arguments...,
                          shape.rows, shape.columns);
}

}  // namespace plimsoll::routines
