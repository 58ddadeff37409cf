#include "engine/opencl/self_test.hpp"

#include "engine/kernels/embedded.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <utility>

namespace plimsoll::opencl {

namespace {

using Floats = std::vector<float>;

constexpr std::size_t kGroup = 64;
// Outputs start as NaN and are followed by a guard of NaN: what a kernel leaves out or writes too
// much of shows up as a wrong value.
constexpr std::size_t kGuard = 256;
const float kPoison = std::numeric_limits<float>::quiet_NaN();

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
        auto built = device.build(kernels::source(kernel), kernel);
        if (!built) return fail(built.error());
        std::vector<Buffer> buffers;
        unsigned argument = 0;
        for (const auto input : inputs) {
            auto added = add(buffers, *built, argument++, input);
            if (!added) return fail(added.error());
        }
        if (count) {
            auto set = device.set_argument(*built, argument++, *count);
            if (!set) return fail(set.error());
        }
        Floats out(outputs + kGuard, kPoison);
        auto added = add(buffers, *built, argument, std::as_bytes(std::span(out)));
        if (!added) return fail(added.error());
        auto launched = device.launch(*built, items, kGroup);
        if (!launched) return fail(launched.error());
        auto read = device.read(buffers.back(), std::as_writable_bytes(std::span(out)));
        if (!read) return fail(read.error());
        for (std::size_t i = outputs; i < out.size(); ++i) {
            if (!std::isnan(out[i]))
                return fail(Errc::corrupt, "Wrote past the end of its output.");
        }
        out.resize(outputs);
        return out;
    }

  private:
    Result<void> add(std::vector<Buffer>& buffers, const Kernel& built, unsigned argument,
                     std::span<const std::byte> data) const {
        auto buffer = device.allocate(data.size());
        if (!buffer) return fail(buffer.error());
        if (auto written = device.write(*buffer, data); !written) return written;
        buffers.push_back(std::move(*buffer));
        return device.set_argument(built, argument, buffers.back());
    }
};

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

// Fails on the first number that is not there; otherwise keeps the largest relative error.
class Comparison {
  public:
    Comparison(std::string name, double tolerance) : test_{std::move(name), 0, tolerance, {}} {}

    void add(std::size_t index, double got, double expected) {
        if (std::isnan(expected) && std::isnan(got)) return;
        const double scale = expected == 0 || std::isinf(expected) ? 1 : std::abs(expected);
        const double error = got == expected ? 0 : std::abs(got - expected) / scale;
        // Finite, since JSON knows no infinity.
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

SelfTest broken(std::string name, const Error& error) {
    return {std::move(name), 0, 0, error.message};
}

Floats random_floats(std::size_t count, unsigned seed) {
    std::mt19937 bits(seed);
    std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
    Floats values(count);
    for (auto& value : values) value = uniform(bits);
    return values;
}

SelfTest test_fma(const Device& device) {
    const std::string name = "fp32_fma";
    constexpr std::size_t count = 4096;
    const Floats a = random_floats(count, 1);
    const Floats b = random_floats(count, 2);
    Floats c = random_floats(count, 3);
    // Every other sum cancels the rounded product: only a fused operation leaves its rounding
    // error.
    for (std::size_t i = 0; i < count; i += 2) c[i] = -(a[i] * b[i]);
    const auto out =
        Run{device, "self_test_fma", {bytes_of(a), bytes_of(b), bytes_of(c)}, {}, count, count}();
    if (!out) return broken(name, out.error());
    Comparison compare(name, 0x1p-23);  // one unit in the last place
    for (std::size_t i = 0; i < count; ++i) {
        compare.add(i, (*out)[i], std::fma(double{a[i]}, double{b[i]}, double{c[i]}));
    }
    return compare.result();
}

// IEEE 754 binary16: 1 sign, 5 exponent (bias 15) and 10 fraction bits.
double half_value(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    const double sign = (bits >> 15) != 0 ? -1 : 1;
    if (exponent == 31) {
        return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    }
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(1024 + fraction, exponent - 25);
}

SelfTest test_half_load(const Device& device) {
    const std::string name = "half_load";
    std::vector<std::uint16_t> halves(1U << 16);  // all there are
    for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
    const auto out =
        Run{device, "self_test_half_load", {bytes_of(halves)}, {}, halves.size(), halves.size()}();
    if (!out) return broken(name, out.error());
    Comparison compare(name, 0);
    for (std::size_t i = 0; i < halves.size(); ++i) {
        compare.add(i, (*out)[i], half_value(halves[i]));
    }
    return compare.result();
}

SelfTest test_sum(const Device& device) {
    const std::string name = "reduction";
    constexpr std::uint32_t count = 100'003;  // a prime: a multiple of no group size
    constexpr std::size_t groups = (count + kGroup - 1) / kGroup;
    Floats in = random_floats(count, 4);
    for (auto& value : in) value += 2;  // one sign, so that the relative error says something
    const auto out = Run{device, "self_test_sum", {bytes_of(in)}, count, groups * kGroup, groups}();
    if (!out) return broken(name, out.error());
    Comparison compare(name, 6 * 0x1p-23);  // a tree of 64 is six additions deep
    for (std::size_t group = 0; group < groups; ++group) {
        double expected = 0;
        for (std::size_t i = group * kGroup; i < std::min<std::size_t>(count, (group + 1) * kGroup);
             ++i) {
            expected += in[i];
        }
        compare.add(group, (*out)[group], expected);
    }
    return compare.result();
}

}  // namespace

std::vector<SelfTest> run_self_tests(const Device& device) {
    return {test_fma(device), test_half_load(device), test_sum(device)};
}

}  // namespace plimsoll::opencl
