#include "engine/opencl/devices/processor.hpp"
#include "engine/opencl/probing/self_test_run.hpp"

#include <bit>

namespace plimsoll::opencl {

namespace {

using namespace self_test;
using Words = std::vector<std::uint32_t>;

// Positive numbers of few bits, exact in bf16 and fp16: any error is then the arithmetic's.
Floats exact_floats(std::size_t count, unsigned seed) {
    std::mt19937 bits(seed);
    Floats values(count);
    for (auto& value : values) value = static_cast<float>(1 + bits() % 64) / 32.0F;
    return values;
}

std::uint32_t bf16_of(float exact) { return std::bit_cast<std::uint32_t>(exact) >> 16; }

// Rows of pairs of neighbours: A's along K.
Words pairs_along_rows(const Floats& values) {
    Words pairs;
    for (std::size_t i = 0; i + 1 < values.size(); i += 2)
        pairs.push_back(bf16_of(values[i]) | bf16_of(values[i + 1]) << 16);
    return pairs;
}

// Pairs of numbers below each other: B's along K.
Words pairs_along_columns(const Floats& values, std::size_t columns) {
    Words pairs;
    for (std::size_t row = 0; row < values.size(); row += 2 * columns)
        for (std::size_t j = 0; j < columns; ++j)
            pairs.push_back(bf16_of(values[row + j]) | bf16_of(values[row + columns + j]) << 16);
    return pairs;
}

SelfTest test_fp16(const Device& device) {
    const std::string name(to_string(Feature::fp16));
    constexpr std::size_t count = 256;
    const auto a = exact_floats(count, 1);
    const auto b = exact_floats(count, 2);
    const auto c = exact_floats(count, 3);
    const auto out =
        Run{device, "self_test_fp16", {bytes_of(a), bytes_of(b), bytes_of(c)}, {}, count, count}();
    if (!out) return broken(name, out.error());
    Comparison compare(name, 0x1p-10);  // rounded twice, to 11 bits each
    for (std::size_t i = 0; i < count; ++i) compare.add(i, (*out)[i], double{a[i]} * b[i] + c[i]);
    return compare.result();
}

SelfTest test_avx512_bf16(const Device& device) {
    const std::string name(to_string(Feature::avx512_bf16));
    constexpr std::size_t count = 256;
    const auto a = exact_floats(2 * count, 1);
    const auto b = exact_floats(2 * count, 2);
    const auto c = exact_floats(count, 3);
    const auto a_pairs = pairs_along_rows(a);
    const auto b_pairs = pairs_along_rows(b);
    const auto out = Run{device,
                         "self_test_avx512_bf16",
                         {bytes_of(a_pairs), bytes_of(b_pairs), bytes_of(c)},
                         {},
                         count,
                         count}();
    if (!out) return broken(name, out.error());
    Comparison compare(name, 0x1p-22);
    for (std::size_t i = 0; i < count; ++i) {
        compare.add(i, (*out)[i],
                    double{a[2 * i]} * b[2 * i] + double{a[2 * i + 1]} * b[2 * i + 1] + c[i]);
    }
    return compare.result();
}

// Sums of four products of bytes, of up to 127 times up to -127.
SelfTest test_bytes(const Device& device, Feature feature) {
    const std::string name(to_string(feature));
    constexpr std::size_t count = 256;
    std::mt19937 bits(1);
    Words a(count);
    Words b(count);
    std::vector<std::int32_t> c(count);
    std::vector<double> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
        c[i] = static_cast<std::int32_t>(bits() % 1000) - 500;
        expected[i] = c[i];
        for (unsigned byte = 0; byte < 4; ++byte) {
            const auto x = i == 0 ? 127U : static_cast<std::uint32_t>(bits() % 128);
            const auto y = i == 0 ? -127 : static_cast<int>(bits() % 255) - 127;
            a[i] |= x << 8 * byte;
            b[i] |= static_cast<std::uint32_t>(y & 255) << 8 * byte;
            expected[i] += static_cast<int>(x) * y;
        }
    }
    const auto out = Run{device,
                         "self_test_" + name,
                         {bytes_of(a), bytes_of(b), std::as_bytes(std::span(c))},
                         {},
                         count,
                         count}();
    if (!out) return broken(name, out.error());
    Comparison compare(name, 0);
    for (std::size_t i = 0; i < count; ++i) compare.add(i, (*out)[i], expected[i]);
    return compare.result();
}

// The product of an m x k and a k x n matrix by one instruction.
SelfTest test_product(const Device& device, Feature feature, std::size_t m, std::size_t n,
                      std::size_t k) {
    const std::string name(to_string(feature));
    const auto a = exact_floats(m * k, 1);
    const auto b = exact_floats(k * n, 2);
    const auto a_pairs = pairs_along_rows(a);
    const auto b_pairs = pairs_along_columns(b, n);
    const auto out = Run{
        device, "self_test_" + name, {bytes_of(a_pairs), bytes_of(b_pairs)}, {}, kGroup, m * n}();
    if (!out) return broken(name, out.error());
    Comparison compare(name, 0x1p-20);
    for (std::size_t i = 0; i < m * n; ++i) {
        double expected = 0;
        for (std::size_t d = 0; d < k; ++d) expected += double{a[i / n * k + d]} * b[d * n + i % n];
        compare.add(i, (*out)[i], expected);
    }
    return compare.result();
}

}  // namespace

std::vector<Feature> candidate_features(const DeviceInfo& info) {
    std::vector<Feature> features{Feature::fp16};
    constexpr std::pair<Instructions, Feature> kOfProcessors[] = {
        {Instructions::avx2, Feature::avx2},
        {Instructions::avx512_vnni, Feature::avx512_vnni},
        {Instructions::avx512_bf16, Feature::avx512_bf16},
        {Instructions::amx_bf16, Feature::amx_bf16}};
    for (const auto& [instructions, feature] : kOfProcessors)
        if (info.type == DeviceType::cpu && processor_has(instructions))
            features.push_back(feature);
    if (info.type == DeviceType::gpu && info.vendor.starts_with("NVIDIA"))
        features.push_back(Feature::mma_bf16);
    return features;
}

SelfTest run_feature_test(const Device& device, Feature feature) {
    switch (feature) {
        case Feature::fp16: return test_fp16(device);
        case Feature::avx2:
        case Feature::avx512_vnni: return test_bytes(device, feature);
        case Feature::avx512_bf16: return test_avx512_bf16(device);
        case Feature::amx_bf16: return test_product(device, feature, 16, 16, 32);
        case Feature::mma_bf16: return test_product(device, feature, 16, 8, 16);
    }
    return {};
}

}  // namespace plimsoll::opencl
