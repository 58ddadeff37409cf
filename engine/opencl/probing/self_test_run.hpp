#pragma once

#include "engine/kernels/embedded.hpp"
#include "engine/opencl/probing/self_test.hpp"
#include "engine/opencl/runtime/device.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// Building blocks of the self-tests.
namespace plimsoll::opencl::self_test {

using Floats = std::vector<float>;

constexpr std::size_t kGroup = 64;
// Outputs are initialized to NaN and followed by a guard of NaN: missing and excess writes show up
// as wrong values.
constexpr std::size_t kGuard = 256;
const inline float kPoison = std::numeric_limits<float>::quiet_NaN();

// Builds the kernel, runs it over `items` and returns `outputs` numbers. Inputs come first in its
// arguments, then `count` when given, then the output.
struct Run {
    const Device& device;
    std::string kernel;
    std::vector<std::span<const std::byte>> inputs;
    std::optional<std::uint32_t> count = {};
    std::size_t items = 0;
    std::size_t outputs = 0;

    Result<Floats> operator()() const {
        TRY(auto built, device.build(kernels::source(kernel), kernel));
        std::vector<Buffer> buffers;
        unsigned argument = 0;
        for (const auto input : inputs) TRY_DO(add(buffers, built, argument++, input));
        if (count) {
            TRY_DO(device.set_argument(built, argument++, *count));
        }
        Floats out(outputs + kGuard, kPoison);
        TRY_DO(add(buffers, built, argument, std::as_bytes(std::span(out))));
        TRY_DO(device.launch(built, items, kGroup));
        TRY_DO(device.read(buffers.back(), std::as_writable_bytes(std::span(out))));
        for (std::size_t i = outputs; i < out.size(); ++i)
            if (!std::isnan(out[i]))
                return fail(Errc::corrupt, "Wrote past the end of its output.");
        out.resize(outputs);
        return out;
    }

  private:
    Result<void> add(std::vector<Buffer>& buffers, const Kernel& built, unsigned argument,
                     std::span<const std::byte> data) const {
        TRY(auto buffer, device.allocate(data.size()));
        TRY_DO(device.write(buffer, data));
        buffers.push_back(std::move(buffer));
        return device.set_argument(built, argument, buffers.back());
    }
};

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

// Fails on the first missing number; otherwise keeps the largest relative error.
class Comparison {
  public:
    Comparison(std::string name, double tolerance) : test_{std::move(name), 0, tolerance, {}} {}

    void add(std::size_t index, double got, double expected) {
        if (std::isnan(expected) && std::isnan(got)) return;
        const double scale = expected == 0 || std::isinf(expected) ? 1 : std::abs(expected);
        const double error = got == expected ? 0 : std::abs(got - expected) / scale;
        // Finite, since JSON has no infinity.
        const double bounded = std::isfinite(error) ? error : std::numeric_limits<double>::max();
        test_.max_error = std::max(test_.max_error, bounded);
        if (!test_.failure.empty() || bounded <= test_.tolerance) return;
        std::ostringstream text;
        text << "item " << index << " is " << got << ", expected " << expected;
        test_.failure = text.str();
    }

    SelfTest result() const { return test_; }

  private:
    SelfTest test_;
};

inline SelfTest broken(std::string name, const Error& error) {
    return {std::move(name), 0, 0, error.message};
}

inline Floats random_floats(std::size_t count, unsigned seed) {
    std::mt19937 bits(seed);
    std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
    Floats values(count);
    for (auto& value : values) value = uniform(bits);
    return values;
}

}  // namespace plimsoll::opencl::self_test
