#include "engine/opencl/probing/self_test.hpp"

#include "engine/opencl/probing/self_test_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace plimsoll::opencl {

namespace {

using namespace self_test;

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
    for (std::size_t i = 0; i < count; ++i)
        compare.add(i, (*out)[i], std::fma(double{a[i]}, double{b[i]}, double{c[i]}));
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
    for (std::size_t i = 0; i < halves.size(); ++i)
        compare.add(i, (*out)[i], half_value(halves[i]));
    return compare.result();
}

SelfTest test_sum(const Device& device) {
    const std::string name = "reduction";
    constexpr std::uint32_t count = 100'003;  // a prime: a multiple of no group size
    constexpr std::size_t groups = (count + kGroup - 1) / kGroup;
    Floats in = random_floats(count, 4);
    for (auto& value : in) value += 2;  // one sign, so that the relative error is meaningful
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
