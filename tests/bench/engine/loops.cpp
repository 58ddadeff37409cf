#include "tests/bench/engine/loops.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <thread>

namespace plimsoll::bench {

namespace {

constexpr std::size_t kThreads = 2;

template <class RowLoop>
void on_two_threads(std::size_t rows, RowLoop loop) {
    std::jthread other([&] { loop(rows / kThreads, rows); });
    loop(std::size_t{0}, rows / kThreads);
}

// Written so that relaxed mathematics cannot undo the rounding.
inline float fast_exp(float x) {
    x = std::clamp(x, -87.0F, 88.0F);
    const float n = std::nearbyint(x * 1.44269504F);
    const float r = x - n * 0.693147182F;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    return p * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

}  // namespace

void layer_norm_loop(const float* in, float* out, const float* gain, const float* shift,
                     std::size_t rows, std::size_t columns) {
    on_two_threads(rows, [=](std::size_t row, std::size_t end) {
        for (; row < end; ++row) {
            const float* x = in + row * columns;
            float* y = out + row * columns;
            float mean = 0;
            for (std::size_t i = 0; i < columns; ++i) mean += x[i];
            mean /= static_cast<float>(columns);
            float squares = 0;
            for (std::size_t i = 0; i < columns; ++i) squares += (x[i] - mean) * (x[i] - mean);
            const float scale = 1 / std::sqrt(squares / static_cast<float>(columns) + 1e-5F);
            for (std::size_t i = 0; i < columns; ++i)
                y[i] = (x[i] - mean) * scale * gain[i] + shift[i];
        }
    });
}

void softmax_loop(const float* in, float* out, std::size_t rows, std::size_t columns) {
    on_two_threads(rows, [=](std::size_t row, std::size_t end) {
        for (; row < end; ++row) {
            const float* x = in + row * columns;
            float* y = out + row * columns;
            float max = x[0];
            for (std::size_t i = 1; i < columns; ++i) max = std::max(max, x[i]);
            float total = 0;
            for (std::size_t i = 0; i < columns; ++i) total += y[i] = fast_exp(x[i] - max);
            const float scale = 1 / total;
            for (std::size_t i = 0; i < columns; ++i) y[i] *= scale;
        }
    });
}

void gelu_loop(const float* in, float* out, std::size_t rows, std::size_t columns) {
    on_two_threads(rows, [=](std::size_t row, std::size_t end) {
        for (std::size_t i = row * columns; i < end * columns; ++i) {
            const float z = in[i] * 0.70710678F;
            const float a = std::abs(z);
            const float t = 1 / (0.3275911F * a + 1);
            float p = 1.061405429F;
            p = p * t - 1.453152027F;
            p = p * t + 1.421413741F;
            p = p * t - 0.284496736F;
            p = p * t + 0.254829592F;
            const float erf = std::copysign(1 - p * t * fast_exp(-a * a), z);
            out[i] = 0.5F * in[i] * (1 + erf);
        }
    });
}

}  // namespace plimsoll::bench
