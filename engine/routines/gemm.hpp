#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "engine/routines/layer_norm.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::routines {

// How C = A B is computed. Sums are always fp32; methods differ in the type that A and B are
// rounded to and in the multiply instructions.
enum class Method {
    block_fp32,  // processors: fused multiply-add on vectors of 16
    block_bf16,  // processors with AVX512-BF16
    block_amx,   // processors with AMX-BF16; needs request_amx_tiles(), which Device::open calls
    group_fp32,  // GPUs, plain OpenCL C
    group_mma,   // NVIDIA GPUs of compute capability 8 and later
};

std::string_view to_string(Method method);

// What kernels/gemm/dot.cl is compiled with, for the block methods.
std::string dot_options(Method method);

enum class Precision { fp32, bf16 };

// The best method whose instructions passed their test on this device; fp32 always works.
Method method_for(const opencl::Capability& capability, Precision precision);

// Parameters of a product, chosen by the tuner. Block methods use all of them, group methods none
// (their tile is 64 x 64).
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
// residual are fp32, row-major; C must not alias A or residual; bias has n numbers. B is packed for
// the plan; with block_fp32 it may also be k rows of n numbers, packed on the fly, for a B that is
// used once.
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
// Errc::invalid_input for an invalid plan, k = 0, or an unpacked B with a method other than
// block_fp32.
Result<void> multiply(opencl::Programs& programs, const GemmPlan& plan, const Product& product);

}  // namespace plimsoll::routines
