#pragma once

#include "engine/routines/flavour.hpp"

#include <cstdint>

namespace plimsoll::operations {

// Operations over the rows of matrices on a device. All numbers are fp32 and must be finite.
// Launched in order, without waiting; buffers hold at least what the shapes say.

enum class Function { exp, erf, tanh, gelu };

// `out` may be `in`.
Result<void> apply(opencl::Programs& programs, Flavour flavour, Function function,
                   const opencl::Buffer& in, const opencl::Buffer& out, Shape shape);

Result<void> softmax(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                     const opencl::Buffer& out, Shape shape);

// `gain` and `shift` have a number a column.
struct Norm {
    const opencl::Buffer& gain;
    const opencl::Buffer& shift;
    float epsilon;  // added to the variance
};

// Normalises the rows of `in`, plus those of `residual` unless null. `out` may be either.
Result<void> layer_norm(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                        const opencl::Buffer* residual, const Norm& norm, const opencl::Buffer& out,
                        Shape shape);

enum class Reduction { sum, largest, smallest };

// A number a row. The sum of no columns is 0, the largest of none minus infinity.
Result<void> reduce(opencl::Programs& programs, Flavour flavour, Reduction reduction,
                    const opencl::Buffer& in, const opencl::Buffer& out, Shape shape);

// The k largest of each row, the largest first and of equals the leftmost: `values` (fp32) and
// `columns` (u32) have k numbers a row. 1 <= k <= shape.columns <= 2^24; meant for k below a
// hundred.
Result<void> top_k(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& in,
                   std::uint32_t k, const opencl::Buffer& values, const opencl::Buffer& columns,
                   Shape shape);

// A table of vectors: fp32, `rows` of them.
struct Table {
    const opencl::Buffer& vectors;
    std::uint32_t rows;
};

// Per token the vectors of its word, position and segment (u32 each), added and normalised. A
// number beyond its table takes the last vector: nothing outside is read.
struct Tokens {
    const opencl::Buffer& words;
    const opencl::Buffer& positions;
    const opencl::Buffer& segments;
};
struct EmbeddingTables {
    Table words;
    Table positions;
    Table segments;
};
Result<void> embed(opencl::Programs& programs, Flavour flavour, const Tokens& tokens,
                   const EmbeddingTables& tables, const Norm& norm, const opencl::Buffer& out,
                   Shape shape);

}  // namespace plimsoll::operations
