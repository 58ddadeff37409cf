#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/invoke.hpp"
#include "engine/opencl/runtime/programs.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
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

// The numeric form of products: a model's activations and weights.
enum class Form {
    fp32,
    bf16,  // sums in fp32
    int8,  // A7W8: 7 bits and a scale for each row of A, 8 bits and a scale for each column of B;
           // exact sums
};

std::string_view to_string(Form form);
std::optional<Form> parse_form(std::string_view name);

// How products are computed. Methods differ in the type that A and B are rounded to and in the
// multiply instructions.
enum class Method {
    block_fp32,  // processors: fused multiply-add on vectors of 16
    block_bf16,  // processors with AVX512-BF16
    block_amx,   // processors with AMX-BF16; needs request_amx_tiles(), which Device::open calls
    block_int8,  // processors with AVX512-VNNI
    block_int8_avx2,  // processors with AVX2: the same results
    group_fp32,       // GPUs, plain OpenCL C
    group_mma,        // NVIDIA GPUs of compute capability 8 and later
};

std::string_view to_string(Method method);
std::optional<Method> parse_method(std::string_view name);
Form form_of(Method method);
Flavour flavour_of(Method method);

// Compile options of kernels/gemm/dot.cl, for the block methods.
std::string dot_options(Method method);

// The methods of a form whose instructions passed their test on this device, the one that is
// usually the fastest first; none: the device does not support the form. Those of int8 give the
// same bits, those of bf16 may not.
std::vector<Method> methods_for(const opencl::Capability& capability, Form form);

// The first of them, where nothing was measured; that of fp32 if there is none.
Method method_for(const opencl::Capability& capability, Form form);

}  // namespace plimsoll::routines
