#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "engine/routines/layer_norm.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::routines {

// How C = A B is computed. fp32 sums always; what differs is what A and B are rounded to, and which
// instructions multiply.
enum class Method {
    block_fp32,  // processors: fused multiply-add on vectors of 16
    block_bf16,  // processors with AVX512-BF16
    block_amx,   // processors with AMX-BF16; the process has asked for tiles (Device::open does)
    group_fp32,  // GPUs, plain OpenCL C
    group_mma,   // NVIDIA GPUs of compute capability 8 and later
};

std::string_view to_string(Method method);

// What kernels/gemm/dot.cl is compiled with, for the block methods.
std::string dot_options(Method method);

enum class Precision { fp32, bf16 };

// The best method whose instructions this very device has proven; fp32 is always there.
Method method_for(const opencl::Capability& capability, Precision precision);

// A way to compute products on one device: what the tuner chooses between. The block methods use
// all of it, the group methods none (their tile is 64 x 64).
struct GemmPlan {
    Method method = Method::block_fp32;
    std::uint32_t rows = 8;            // of the micro-tile; 32 for AMX
    std::uint32_t vectors = 3;         // of 16 columns in the micro-tile; 2 for AMX
    std::uint32_t depth = 768;         // of K at a time, a multiple of 32
    std::uint32_t row_panels = 8;      // micro-tiles of rows for one work-item
    std::uint32_t column_panels = 16;  // micro-tiles of columns for one work-item

    bool operator==(const GemmPlan&) const = default;
};

// Errc::invalid_input names the rule that a plan breaks: one read from a file may say anything.
Result<void> check(const GemmPlan& plan);

// A plan that does well without tuning on a device of so many compute units, for products of m rows
// and n columns.
GemmPlan default_plan(Method method, std::uint32_t compute_units, std::uint32_t m, std::uint32_t n);

// B of k rows and n columns as it lies in memory: element (i, j) is at i * depth_stride +
// j * column_stride. The weights of PyTorch's Linear are [n][k]: {k, n, 1, k}.
struct MatrixB {
    std::uint32_t k = 0;
    std::uint32_t n = 0;
    std::uint32_t depth_stride = 0;
    std::uint32_t column_stride = 0;
};

// B in the order in which a plan reads it, done once per matrix. Plans of one method and one number
// of vectors share it.
std::size_t packed_bytes(const GemmPlan& plan, std::uint32_t k, std::uint32_t n);
Result<void> pack(opencl::Programs& programs, const GemmPlan& plan, const opencl::Buffer& b,
                  const MatrixB& matrix, const opencl::Buffer& packed);

// C (m x n) = norm(gelu(A B + bias) + residual); what is null or false is left out. A, C and
// residual are fp32, row-major, C neither of the others; bias has n numbers. B is packed for the
// plan, or, with block_fp32 alone, k rows of n numbers that are packed on their way: for a B that
// is multiplied once.
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
};
// Errc::invalid_input for a plan that nobody can run, no K, or a B in rows by another method.
Result<void> multiply(opencl::Programs& programs, const GemmPlan& plan, const Product& product);

}  // namespace plimsoll::routines
