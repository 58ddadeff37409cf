#pragma once

#include "engine/routines/narrow.hpp"
#include "engine/routines/rows.hpp"

#include <cstddef>
#include <cstdint>

namespace plimsoll::routines {

// Parameters of a product, chosen by the tuner. Block methods use all of them, group methods none
// (their tiles are 64 x 64 in fp32, 128 x 128 on tensor cores).
struct GemmPlan {
    Method method = Method::block_fp32;
    std::uint32_t rows = 8;            // of the micro-tile; 32 for AMX
    std::uint32_t vectors = 3;         // of 16 columns in the micro-tile; 2 for AMX
    std::uint32_t depth = 768;         // of K at a time, a multiple of 32
    std::uint32_t row_panels = 8;      // row micro-tiles per work-item
    std::uint32_t column_panels = 16;  // column micro-tiles per work-item

    bool operator==(const GemmPlan&) const = default;
};

// Errc::invalid_input names the rule that a plan breaks: a plan read from a file may hold any
// value.
Result<void> check(const GemmPlan& plan);

// The untuned default for a device with this number of compute units and products of m rows and n
// columns.
GemmPlan default_plan(Method method, std::uint32_t compute_units, std::uint32_t m, std::uint32_t n);

// The memory layout of B (k rows, n columns): element (i, j) is at i * depth_stride + j *
// column_stride. The weights of PyTorch's Linear are [n][k]: {k, n, 1, k}.
struct MatrixB {
    std::uint32_t k = 0;
    std::uint32_t n = 0;
    std::uint32_t depth_stride = 0;
    std::uint32_t column_stride = 0;
};

// B reordered for a plan, once per matrix. Plans with the same method and number of vectors share
// it.
std::size_t packed_bytes(const GemmPlan& plan, std::uint32_t k, std::uint32_t n);
Result<void> pack(opencl::Programs& programs, const GemmPlan& plan, const opencl::Buffer& b,
                  const MatrixB& matrix, const opencl::Buffer& packed);

// C (m x n) = norm(gelu(A B + bias) + residual); null and false terms are omitted. A, C and
// residual are row-major; C must not alias A or residual; bias has n numbers. B is packed for the
// plan; with block_fp32 it may also be k rows of n numbers, packed on the fly, for a B that is used
// once.
//
// Residual, A and C are fp32, unless the narrow members say otherwise, with methods of bf16 and
// int8. Products in int8 and on tensor cores take narrow rows only. Their K is then a multiple of 2
// (bf16) or 4 (int8); on tensor cores, K and n are multiples of 8.
struct Product {
    const opencl::Buffer& a;
    const opencl::Buffer& b;
    const opencl::Buffer& c;
    std::uint32_t m;
    std::uint32_t n;
    std::uint32_t k;
    const opencl::Buffer* bias = nullptr;
    bool gelu = false;
    const opencl::Buffer* residual = nullptr;
    const Norm* norm = nullptr;
    bool packed = true;
    bool narrow_a = false;
    const opencl::Buffer* scales_of_a = nullptr;  // of int8: of every row
    bool narrow_c = false;  // bf16, without norm; on processors, K is at most the plan's depth
    const NarrowRows* copy = nullptr;  // C once more, narrow
};
// Errc::invalid_input for an invalid plan, k = 0, an unpacked B with a method other than
// block_fp32, or narrow rows that the method does not have.
Result<void> multiply(opencl::Programs& programs, const GemmPlan& plan, const Product& product);

}  // namespace plimsoll::routines
