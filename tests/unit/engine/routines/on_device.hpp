#pragma once

#include "engine/opencl/probing/self_test.hpp"
#include "engine/routines/method.hpp"
#include "tests/unit/engine/opencl/kernel_cache.hpp"
#include "tests/unit/engine/opencl/tested_address.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

namespace plimsoll::routines {

template <class T>
T need(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message + " " + result.error().where);
    return std::move(*result);
}

inline void need(Result<void> result) {
    if (!result) throw std::runtime_error(result.error().message + " " + result.error().where);
}

// The tested device, opened once for all tests of a program, which keeps kernels while it runs.
inline opencl::Programs& programs() {
    static const opencl::TemporaryFolder folder;
    static const auto device = need(opencl::Device::open(opencl::tested_address()));
    static opencl::Programs all(device, opencl::ProgramCache(folder.path()));
    return all;
}

constexpr Flavour kFlavours[] = {Flavour::block, Flavour::group};

// Only there do kernels of blocks run.
inline bool on_processor() { return flavour_for(programs().device().info()) == Flavour::block; }
inline bool has_tensor_cores() {
    static const bool has = [] {
        const auto features = candidate_features(programs().device().info());
        return std::ranges::find(features, opencl::Feature::mma_bf16) != features.end() &&
               run_feature_test(programs().device(), opencl::Feature::mma_bf16).passed();
    }();
    return has;
}
inline bool has_avx512_bf16() { return on_processor() && __builtin_cpu_supports("avx512bf16"); }

using Floats = std::vector<float>;

inline Floats random_floats(std::size_t count, unsigned seed, float scale = 1) {
    std::mt19937 bits(seed);
    std::uniform_real_distribution<float> uniform(-scale, scale);
    Floats values(count);
    for (auto& value : values) value = uniform(bits);
    return values;
}

template <class T>
opencl::Buffer upload(const std::vector<T>& values) {
    const auto& device = programs().device();
    auto buffer = need(device.allocate(std::max<std::size_t>(values.size() * sizeof(T), 1)));
    need(device.write(buffer, std::as_bytes(std::span(values))));
    return buffer;
}

// An output of this many numbers. It and the numbers after it are poisoned: a missing write leaves
// NaN, and a write past the end is an error.
class Output {
  public:
    explicit Output(std::size_t count)
        : count_(count),
          buffer_(upload(Floats(count + kGuard, std::numeric_limits<float>::quiet_NaN()))) {}

    const opencl::Buffer& buffer() const { return buffer_; }

    Floats values() const {
        Floats values(count_ + kGuard);
        need(programs().device().read(buffer_, std::as_writable_bytes(std::span(values))));
        for (std::size_t i = count_; i < values.size(); ++i)
            if (!std::isnan(values[i])) throw std::runtime_error("wrote past the end");
        values.resize(count_);
        return values;
    }

  private:
    static constexpr std::size_t kGuard = 1024;
    std::size_t count_;
    opencl::Buffer buffer_;
};

// Rounds to the nearest bf16, ties to even.
inline std::uint16_t rounded(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

inline std::vector<std::uint16_t> rounded(const Floats& values) {
    std::vector<std::uint16_t> all;
    for (const auto value : values) all.push_back(rounded(value));
    return all;
}

// The bf16 numbers stored as pairs in memory.
inline Floats from_bf16(const Floats& pairs) {
    Floats values;
    for (const auto pair : pairs) {
        const auto bits = std::bit_cast<std::uint32_t>(pair);
        values.push_back(std::bit_cast<float>(bits << 16));
        values.push_back(std::bit_cast<float>(bits & 0xffff0000U));
    }
    return values;
}

// The largest difference, relative to the largest expected number. Infinite for NaN.
inline double error_of(const Floats& got, const std::vector<double>& expected) {
    double max = 0;
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        max = std::max(max, std::abs(expected[i]));
        const double error = std::abs(got[i] - expected[i]);
        worst =
            std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
    }
    return worst == 0 ? 0 : worst / max;
}

// Rows normalised, in double precision.
inline void normalise(std::vector<double>& values, std::size_t columns, const Floats& gain,
                      const Floats& shift, double epsilon) {
    for (std::size_t row = 0; row < values.size(); row += columns) {
        double mean = 0;
        double variance = 0;
        for (std::size_t i = 0; i < columns; ++i) mean += values[row + i] / double(columns);
        for (std::size_t i = 0; i < columns; ++i)
            variance += std::pow(values[row + i] - mean, 2) / double(columns);
        for (std::size_t i = 0; i < columns; ++i) {
            values[row + i] =
                (values[row + i] - mean) / std::sqrt(variance + epsilon) * gain[i] + shift[i];
        }
    }
}

inline double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }

}  // namespace plimsoll::routines
