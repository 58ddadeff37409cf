#pragma once

#include <cstddef>

// Plain loops on two threads, optimised by a good compiler: the peers of the kernels over rows.
// Built for this processor, with relaxed mathematics and the same polynomials, so that they
// vectorise.
namespace plimsoll::bench {

void layer_norm_loop(const float* in, float* out, const float* gain, const float* shift,
                     std::size_t rows, std::size_t columns);
void softmax_loop(const float* in, float* out, std::size_t rows, std::size_t columns);
void gelu_loop(const float* in, float* out, std::size_t rows, std::size_t columns);

}  // namespace plimsoll::bench
