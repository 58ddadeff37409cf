// Every kernel in both flavours against double precision, at sizes that are multiples of nothing.

#include "engine/routines/rows.hpp"

#include "tests/unit/engine/routines/on_device.hpp"

#include <algorithm>
#include <functional>

namespace plimsoll::routines {
namespace {

const auto* const kCache = testing::AddGlobalTestEnvironment(new opencl::KernelCache);

constexpr Shape kShapes[] = {{1, 1}, {3, 15}, {17, 16}, {5, 17}, {33, 100}, {16, 768}, {19, 1031}};

// Calls `test` with every flavour and shape, random numbers up to `scale` and a name for failures.
void for_all(
    float scale,
    const std::function<void(Flavour, Shape, const Floats&, const opencl::Buffer&)>& test) {
    for (const auto flavour : kFlavours) {
        for (const auto shape : kShapes) {
            SCOPED_TRACE(std::to_string(shape.rows) + " x " + std::to_string(shape.columns) +
                         (flavour == Flavour::block ? " block" : " group"));
            const auto in = random_floats(std::size_t{shape.rows} * shape.columns, 5, scale);
            test(flavour, shape, in, upload(in));
        }
    }
}

TEST(Rows, FunctionsAreWithinTheirErrorBounds) {
    struct Case {
        Function function;
        double (*reference)(double);
        float scale;
        double relative;
        double absolute;
    };
    const Case cases[] = {
        {Function::exp, [](double x) { return std::exp(x); }, 87, 3e-7, 0},
        {Function::erf, [](double x) { return std::erf(x); }, 5, 0, 5e-7},
        {Function::tanh, [](double x) { return std::tanh(x); }, 9, 4e-7, 0},
        {Function::gelu, gelu, 8, 1e-6, 1e-6},
    };
    for (const auto& [function, reference, scale, relative, absolute] : cases) {
        for_all(scale, [&](Flavour flavour, Shape shape, const Floats& in, const auto& buffer) {
            const Output out(in.size());
            need(unary(programs(), flavour, function, buffer, out.buffer(), shape));
            const auto got = out.values();
            for (std::size_t i = 0; i < in.size(); ++i) {
                const double expected = reference(in[i]);
                ASSERT_NEAR(got[i], expected, absolute + relative * std::abs(expected)) << in[i];
            }
        });
    }
}

TEST(Rows, FunctionsDoNotWritePastTheEnd) {
    const Floats in{-200, -87.5F, -0.0F, 0, 1e-30F, 88, 0.62499F, 0.625F, 50, -50};
    const auto buffer = upload(in);
    for (const auto flavour : kFlavours) {
        const Output out(in.size());
        need(unary(programs(), flavour, Function::tanh, buffer, out.buffer(), {1, 10}));
        auto got = out.values();
        for (std::size_t i = 0; i < in.size(); ++i)
            EXPECT_NEAR(got[i], std::tanh(double{in[i]}), 4e-7 * std::abs(in[i])) << in[i];
        need(unary(programs(), flavour, Function::exp, buffer, out.buffer(), {1, 10}));
        got = out.values();
        EXPECT_NEAR(got[0], 0, 2e-38);
        EXPECT_EQ(got[3], 1);
        EXPECT_TRUE(std::isfinite(got[5]));
    }
}

TEST(Rows, Softmax) {
    for_all(30, [](Flavour flavour, Shape shape, const Floats& in, const auto& buffer) {
        std::vector<double> expected(in.size());
        for (std::size_t row = 0; row < in.size(); row += shape.columns) {
            const auto end = row + shape.columns;
            const double max = *std::max_element(in.begin() + row, in.begin() + end);
            double sum = 0;
            for (auto i = row; i < end; ++i) sum += expected[i] = std::exp(in[i] - max);
            for (auto i = row; i < end; ++i) expected[i] /= sum;
        }
        const Output out(in.size());
        need(softmax(programs(), flavour, buffer, out.buffer(), shape));
        EXPECT_LE(error_of(out.values(), expected), 1e-6);
    });
}

TEST(Rows, LayerNormWithAndWithoutAResidual) {
    for_all(3, [](Flavour flavour, Shape shape, const Floats& in, const auto& buffer) {
        const auto residual = random_floats(in.size(), 6);
        const auto gain = random_floats(shape.columns, 7);
        const auto shift = random_floats(shape.columns, 8);
        const auto more = upload(residual);
        const auto gains = upload(gain);
        const auto shifts = upload(shift);
        const Norm norm{gains, shifts, 1e-5F};
        std::vector<double> expected(in.begin(), in.end());
        std::vector<double> with(in.begin(), in.end());
        for (std::size_t i = 0; i < in.size(); ++i) with[i] += residual[i];
        normalise(expected, shape.columns, gain, shift, 1e-5);
        normalise(with, shape.columns, gain, shift, 1e-5);
        const Output out(in.size());
        need(layer_norm(programs(), flavour, buffer, nullptr, norm, out.buffer(), shape));
        EXPECT_LE(error_of(out.values(), expected), 1e-5);
        need(layer_norm(programs(), flavour, buffer, &more, norm, out.buffer(), shape));
        EXPECT_LE(error_of(out.values(), with), 1e-5);
    });
}

TEST(Rows, LayerNormOfLargeNumbersCloseTogether) {
    Floats in(100);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = 10'000.0F + static_cast<float>(i % 7);
    const Floats gain(100, 1);
    const Floats shift(100, 0);
    std::vector<double> expected(in.begin(), in.end());
    normalise(expected, 100, gain, shift, 1e-5);
    const auto gains = upload(gain);
    const auto shifts = upload(shift);
    const Norm norm{gains, shifts, 1e-5F};
    const auto buffer = upload(in);
    for (const auto flavour : kFlavours) {
        const Output out(in.size());
        need(layer_norm(programs(), flavour, buffer, nullptr, norm, out.buffer(), {1, 100}));
        EXPECT_LE(error_of(out.values(), expected), 1e-3);
    }
}

}  // namespace
}  // namespace plimsoll::routines
