#pragma once

#include "engine/routines/method.hpp"

namespace plimsoll::routines {

// Rows in a method's number type: bf16, or bytes with a scale per row.
struct NarrowRows {
    opencl::Buffer numbers;
    opencl::Buffer scales;  // of int8; otherwise empty
};

// The bytes per number, and per row besides its numbers.
std::size_t bytes_of_number(Form form);
std::size_t bytes_of_scale(Form form);

// out = in, converted, for methods of bf16 and int8: fp32, finite. Enqueued in order, without
// waiting.
Result<void> narrow(opencl::Programs& programs, Method method, const opencl::Buffer& in,
                    const NarrowRows& out, Shape shape);

}  // namespace plimsoll::routines
