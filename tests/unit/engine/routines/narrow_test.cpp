// Products of narrow rows: of bf16 against float64, of bytes bit for bit.
#include "engine/routines/narrow.hpp"

#include "engine/routines/gemm.hpp"
#include "tests/unit/engine/routines/on_device.hpp"

#include <algorithm>

namespace plimsoll::routines::narrow_test {
namespace {

struct Size {
    std::uint32_t m, n, k;
};
constexpr Size kSizes[] = {{1, 4, 4},    {7, 5, 12},     {8, 48, 32},    {9, 49, 36},
                           {65, 63, 32}, {300, 96, 64},  {40, 97, 1000}, {33, 145, 804},
                           {3, 768, 96}, {290, 50, 1540}};

NarrowRows narrow_rows(Method method, const Floats& values, Shape shape) {
    const auto form = form_of(method);
    NarrowRows rows{upload(std::vector<std::byte>(values.size() * bytes_of_number(form))),
                    upload(Floats(form == Form::int8 ? shape.rows : 1))};
    need(narrow(programs(), method, upload(values), rows, shape));
    need(programs().device().finish());
    return rows;
}

template <class T>
std::vector<T> read(const opencl::Buffer& buffer, std::size_t count) {
    std::vector<T> values(count);
    need(programs().device().read(buffer, std::as_writable_bytes(std::span(values))));
    return values;
}

std::vector<Method> int8_methods() {
    std::vector<Method> methods;
    if (!on_processor()) return {};
    if (__builtin_cpu_supports("avx2")) methods.push_back(Method::block_int8_avx2);
    if (__builtin_cpu_supports("avx512vnni")) methods.push_back(Method::block_int8);
    return methods;
}

// What rotate.cl says, and how many times as large a block's numbers have become.
std::size_t rotate(std::span<float> left) {
    std::size_t size = 128;
    while (size > left.size()) size /= 2;
    if (size < 16) return left.size();
    // Blocks of lanes that are whole vectors apart come first.
    std::vector<std::size_t> distances;
    for (std::size_t apart = 16; apart < size; apart *= 2) distances.push_back(apart);
    for (std::size_t apart = 1; apart < 16; apart *= 2) distances.push_back(apart);
    for (const auto apart : distances) {
        for (std::size_t i = 0; i < size; ++i) {
            if ((i & apart) != 0) continue;
            const float first = left[i];
            left[i] = first + left[i + apart];
            left[i + apart] = first - left[i + apart];
        }
    }
    return size;
}

// What narrow_row.cl and gemm_pack_int8.cl say, number by number; `of_b`: the latter.
struct Quantised {
    std::vector<int> numbers;
    Floats scales;
};
Quantised quantised(Floats values, std::size_t rows, std::size_t columns, float steps, bool of_b) {
    Quantised made;
    for (std::size_t r = 0; r < rows; ++r) {
        const auto row = std::span(values).subspan(r * columns, columns);
        for (std::size_t i = 0; i < columns;) {
            const auto size = rotate(row.subspan(i));
            const bool rotated = size >= 16;
            for (std::size_t j = i; j < i + size && of_b && rotated; ++j)
                row[j] /= static_cast<float>(size);
            i += size;
        }
        float max = 0;
        for (const float value : row) max = std::max(max, std::abs(value));
        made.scales.push_back(max / steps);
        for (const float value : row) {
            const float by = max > 0 ? steps / max : 0;
            made.numbers.push_back(static_cast<int>(std::nearbyint(double{value} * by)));
        }
    }
    return made;
}

TEST(Narrow, RowsAreBytesWithAScaleEach) {
    for (const auto method : int8_methods()) {
        for (const Shape shape : {Shape{1, 1}, {5, 37}, {3, 250}, {40, 768}}) {
            auto values = random_floats(std::size_t{shape.rows} * shape.columns, 1, 3);
            std::fill_n(values.begin(), shape.columns, 0.0F);  // no scale at all
            const auto rows = narrow_rows(method, values, shape);
            const auto expected = quantised(values, shape.rows, shape.columns, 63, false);
            EXPECT_EQ(read<float>(rows.scales, shape.rows), expected.scales);
            const auto bytes = read<std::uint8_t>(rows.numbers, values.size());
            for (std::size_t i = 0; i < bytes.size(); ++i)
                ASSERT_EQ(bytes[i], expected.numbers[i] + 64) << i;
        }
    }
}

// Rounding on GPUs is plain OpenCL C, which every device runs.
TEST(Narrow, RowsAreRoundedToBf16) {
    const auto values = random_floats(5 * 37, 1, 3);
    for (const auto method : {Method::block_bf16, Method::group_mma}) {
        if (method == Method::block_bf16 && !has_avx512_bf16()) continue;
        const auto rows = narrow_rows(method, values, {5, 37});
        EXPECT_EQ(read<std::uint16_t>(rows.numbers, values.size()), rounded(values));
        EXPECT_FALSE(narrow(programs(), Method::block_fp32, rows.numbers, rows, {5, 37}));
        EXPECT_FALSE(narrow(programs(), Method::group_fp32, rows.numbers, rows, {5, 37}));
    }
}

struct Result8 {
    Floats c;
    std::vector<std::uint8_t> copy;
    bool operator==(const Result8&) const = default;
};

Result8 product_of_bytes(const GemmPlan& plan, Size size, const Floats& a, const Floats& b) {
    const auto [m, n, k] = size;
    const auto rows = narrow_rows(plan.method, a, {m, k});
    const Output packed(packed_bytes(plan, k, n) / sizeof(float));
    need(pack(programs(), plan, upload(b), {k, n, 1, k}, packed.buffer()));
    const auto bias = upload(random_floats(n, 3));
    const Output c(std::size_t{m} * n);
    const NarrowRows copy{upload(std::vector<std::byte>(std::size_t{m} * n)), upload(Floats(m))};
    need(multiply(programs(), plan,
                  {.a = rows.numbers,
                   .b = packed.buffer(),
                   .c = c.buffer(),
                   .m = m,
                   .n = n,
                   .k = k,
                   .bias = &bias,
                   .narrow_a = true,
                   .scales_of_a = &rows.scales,
                   .copy = &copy}));
    return {c.values(), read<std::uint8_t>(copy.numbers, std::size_t{m} * n)};
}

// A number that stands out costs the others little: without the rotation they would share a few
// steps.
TEST(Narrow, AnOutlierIsSpread) {
    const Size size{64, 48, 768};
    auto a = random_floats(std::size_t{size.m} * size.k, 1);
    for (std::size_t row = 0; row < size.m; ++row) a[row * size.k + 223] = 40;
    const auto b = random_floats(std::size_t{size.n} * size.k, 2, 0.1F);
    const auto bias = random_floats(size.n, 3);
    for (const auto method : int8_methods()) {
        const auto found = product_of_bytes({.method = method}, size, a, b).c;
        double error = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            double expected = bias[i % size.n];
            for (std::size_t d = 0; d < size.k; ++d)
                expected += double{a[i / size.n * size.k + d]} * b[i % size.n * size.k + d];
            error += std::abs(found[i] - expected) / static_cast<double>(found.size());
        }
        EXPECT_LT(error, 0.06) << to_string(method);
    }
}

// Integers are exact: every plan and both methods find what a loop finds, to the last bit.
TEST(Narrow, ProductsOfBytesAreExact) {
    for (const auto size : kSizes) {
        const auto [m, n, k] = size;
        auto a = random_floats(std::size_t{m} * k, 1);
        auto b = random_floats(std::size_t{n} * k, 2, 0.1F);
        std::fill_n(a.begin(), k, 2.0F);  // the largest sums that there are
        std::fill_n(b.begin(), k, -3.0F);
        const auto of_a = quantised(a, m, k, 63, false);
        const auto of_b = quantised(b, n, k, 127, true);
        const auto bias = random_floats(n, 3);
        Floats expected;
        for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                int sum = 0;
                for (std::size_t d = 0; d < k; ++d)
                    sum += of_a.numbers[i * k + d] * of_b.numbers[j * k + d];
                const float scale = of_b.scales[j] * of_a.scales[i];
                expected.push_back(static_cast<float>(sum) * scale);
            }
        }
        std::optional<Result8> first;
        for (const auto method : int8_methods()) {
            for (const auto& plan : {GemmPlan{.method = method},
                                     {method, 6, 1, 384, 8, 16},
                                     {method, 12, 2, 64, 1, 1}}) {
                const auto found = product_of_bytes(plan, size, a, b);
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    // Adding the bias may or may not be rounded apart.
                    ASSERT_NEAR(found.c[i], expected[i] + bias[i % n],
                                2e-7 * (std::abs(expected[i]) + 1))
                        << m << " x " << n << " x " << k << ", " << to_string(method) << ", " << i;
                }
                if (!first) first = found;
                EXPECT_EQ(found, *first) << to_string(method);
            }
        }
    }
}

std::vector<GemmPlan> bf16_plans() {
    std::vector<GemmPlan> plans;
    if (has_avx512_bf16()) {
        plans.push_back({Method::block_bf16, 8, 3, 1568, 8, 16});
        plans.push_back({Method::block_bf16, 12, 2, 1600, 1, 1});
    }
    if (has_tensor_cores()) plans.push_back({.method = Method::group_mma});
    return plans;
}

bool takes(const GemmPlan& plan, Size size) {
    return plan.method != Method::group_mma || (size.n % 8 == 0 && size.k % 8 == 0);
}

TEST(Narrow, ProductsOfBf16ReadAndWriteIt) {
    const auto plans = bf16_plans();
    if (plans.empty()) GTEST_SKIP() << "of AVX512-BF16 and tensor cores";
    std::vector<Size> sizes(std::begin(kSizes), std::end(kSizes));
    // Around the tiles of tensor cores, and a layer.
    for (const Size size :
         {Size{128, 128, 32}, {129, 136, 40}, {200, 8, 8}, {1, 256, 3072}, {700, 2304, 768}}) {
        if (has_tensor_cores()) sizes.push_back(size);
    }
    for (const auto& size : sizes) {
        const auto& [m, n, k] = size;
        const auto a = random_floats(std::size_t{m} * k, 1);
        const auto b = random_floats(std::size_t{n} * k, 2, 0.1F);
        std::vector<double> expected;
        for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                double sum = 0;
                for (std::size_t d = 0; d < k; ++d) sum += double{a[i * k + d]} * b[j * k + d];
                expected.push_back(sum);
            }
        }
        const auto narrow_a = upload(rounded(a));
        std::optional<Floats> first;
        for (const auto& plan : plans) {
            if (!takes(plan, size)) continue;
            const auto b_there = upload(b);
            const Output packed(packed_bytes(plan, k, n) / sizeof(float));
            need(pack(programs(), plan, b_there, {k, n, 1, k}, packed.buffer()));
            const Output c(expected.size());
            const NarrowRows copy{upload(std::vector<std::uint16_t>(expected.size())), {}};
            Product product{.a = narrow_a,
                            .b = packed.buffer(),
                            .c = c.buffer(),
                            .m = m,
                            .n = n,
                            .k = k,
                            .narrow_a = true,
                            .copy = &copy};
            need(multiply(programs(), plan, product));
            const auto found = c.values();
            EXPECT_LE(error_of(found, expected), 1e-2) << m << " x " << n << " x " << k;
            if (!first) first = found;
            EXPECT_EQ(found, *first);
            EXPECT_EQ(read<std::uint16_t>(copy.numbers, found.size()), rounded(found));
            const Output narrow_c((expected.size() + 1) / 2);
            Product narrowed{.a = narrow_a,
                             .b = packed.buffer(),
                             .c = narrow_c.buffer(),
                             .m = m,
                             .n = n,
                             .k = k,
                             .narrow_a = true,
                             .narrow_c = true};
            need(multiply(programs(), plan, narrowed));
            EXPECT_EQ(read<std::uint16_t>(narrow_c.buffer(), found.size()), rounded(found));
        }
    }
}

Floats widened(const std::vector<std::uint16_t>& values) {
    Floats all;
    for (const auto value : values)
        all.push_back(std::bit_cast<float>(std::uint32_t{value} << 16U));
    return all;
}

// Everything that a layer adds to a product, in bf16 as models use it: rows and their copy, or the
// copy alone.
TEST(Narrow, ProductsOfBf16FuseWhatLayersAdd) {
    constexpr Size kSize{201, 136, 72};
    const auto [m, n, k] = kSize;
    const auto a = random_floats(std::size_t{m} * k, 1);
    const auto b = random_floats(std::size_t{n} * k, 2, 0.1F);
    const auto bias = random_floats(n, 3);
    const auto residual = random_floats(std::size_t{m} * n, 4);
    const auto gain = random_floats(n, 5);
    const auto shift = random_floats(n, 6);
    const auto narrow_a = upload(rounded(a));
    const auto [bias_there, residual_there, gain_there, shift_there] =
        std::array{upload(bias), upload(residual), upload(gain), upload(shift)};
    const Norm norm{gain_there, shift_there, 1e-5F};
    for (const auto& plan : bf16_plans()) {
        const auto b_there = upload(b);
        const Output packed(packed_bytes(plan, k, n) / sizeof(float));
        need(pack(programs(), plan, b_there, {k, n, 1, k}, packed.buffer()));
        for (const bool gelu_alone : {false, true}) {
            std::vector<double> expected;
            for (std::size_t i = 0; i < std::size_t{m} * n; ++i) {
                double sum = bias[i % n];
                for (std::size_t d = 0; d < k; ++d)
                    sum += double{a[i / n * k + d]} * b[i % n * k + d];
                expected.push_back(gelu_alone ? gelu(sum) : sum + residual[i]);
            }
            if (!gelu_alone) normalise(expected, n, gain, shift, 1e-5);
            const Output c(expected.size());
            const NarrowRows copy{upload(std::vector<std::uint16_t>(expected.size())), {}};
            need(multiply(programs(), plan,
                          {.a = narrow_a,
                           .b = packed.buffer(),
                           .c = gelu_alone ? copy.numbers : c.buffer(),
                           .m = m,
                           .n = n,
                           .k = k,
                           .bias = &bias_there,
                           .gelu = gelu_alone,
                           .residual = gelu_alone ? nullptr : &residual_there,
                           .norm = gelu_alone ? nullptr : &norm,
                           .narrow_a = true,
                           .narrow_c = gelu_alone,
                           .copy = gelu_alone ? nullptr : &copy}));
            const auto copied = read<std::uint16_t>(copy.numbers, expected.size());
            EXPECT_LE(error_of(widened(copied), expected), 1e-2);
            if (gelu_alone) continue;
            EXPECT_LE(error_of(c.values(), expected), 1e-2);
            EXPECT_EQ(copied, rounded(c.values()));
        }
    }
}

TEST(Narrow, RefusesUnsupportedMethods) {
    const auto buffer = upload(Floats(64));
    const NarrowRows rows{upload(Floats(64)), upload(Floats(64))};
    const auto refused = [&](const GemmPlan& plan, const Product& product) {
        const auto done = multiply(programs(), plan, product);
        return !done && done.error().code == Errc::invalid_input;
    };
    const GemmPlan fp32{.method = Method::block_fp32};
    const GemmPlan bf16{.method = Method::block_bf16};
    const GemmPlan int8{.method = Method::block_int8};
    EXPECT_TRUE(refused(int8, {buffer, buffer, buffer, 1, 1, 4}));
    EXPECT_TRUE(refused(int8, {.a = buffer,
                               .b = buffer,
                               .c = buffer,
                               .m = 1,
                               .n = 1,
                               .k = 6,
                               .narrow_a = true,
                               .scales_of_a = &rows.scales}));
    EXPECT_TRUE(refused(
        fp32, {.a = buffer, .b = buffer, .c = buffer, .m = 1, .n = 1, .k = 4, .narrow_a = true}));
    EXPECT_TRUE(refused(
        fp32, {.a = buffer, .b = buffer, .c = buffer, .m = 1, .n = 1, .k = 4, .copy = &rows}));
    EXPECT_TRUE(refused(
        bf16, {.a = buffer, .b = buffer, .c = buffer, .m = 1, .n = 1, .k = 3, .narrow_a = true}));
    EXPECT_TRUE(refused(
        bf16, {.a = buffer, .b = buffer, .c = buffer, .m = 1, .n = 1, .k = 770, .narrow_c = true}));
}

}  // namespace
}  // namespace plimsoll::routines::narrow_test
