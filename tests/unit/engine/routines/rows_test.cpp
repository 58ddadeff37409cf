// Every kernel in both flavours against double precision, at sizes that are multiples of nothing.

#include "engine/routines/rows.hpp"

#include "tests/unit/engine/routines/on_device.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace plimsoll::operations {
namespace {

const auto* const kCache = testing::AddGlobalTestEnvironment(new opencl::PrivateCache);

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

TEST(Rows, FunctionsAreAsExactAsTheySay) {
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
            need(apply(programs(), flavour, function, buffer, out.buffer(), shape));
            const auto got = out.values();
            for (std::size_t i = 0; i < in.size(); ++i) {
                const double expected = reference(in[i]);
                ASSERT_NEAR(got[i], expected, absolute + relative * std::abs(expected)) << in[i];
            }
        });
    }
}

TEST(Rows, FunctionsEndWhereTheirNumbersEnd) {
    const Floats in{-200, -87.5F, -0.0F, 0, 1e-30F, 88, 0.62499F, 0.625F, 50, -50};
    const auto buffer = upload(in);
    for (const auto flavour : kFlavours) {
        const Output out(in.size());
        need(apply(programs(), flavour, Function::tanh, buffer, out.buffer(), {1, 10}));
        auto got = out.values();
        for (std::size_t i = 0; i < in.size(); ++i) {
            EXPECT_NEAR(got[i], std::tanh(double{in[i]}), 4e-7 * std::abs(in[i])) << in[i];
        }
        need(apply(programs(), flavour, Function::exp, buffer, out.buffer(), {1, 10}));
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
            const double most = *std::max_element(in.begin() + row, in.begin() + end);
            double sum = 0;
            for (auto i = row; i < end; ++i) sum += expected[i] = std::exp(in[i] - most);
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

TEST(Rows, Reductions) {
    for_all(1, [](Flavour flavour, Shape shape, const Floats& in, const auto& buffer) {
        std::vector<double> sums;
        std::vector<double> largest;
        std::vector<double> smallest;
        for (std::size_t row = 0; row < in.size(); row += shape.columns) {
            const auto begin = in.begin() + static_cast<std::ptrdiff_t>(row);
            const auto end = begin + shape.columns;
            sums.push_back(std::accumulate(begin, end, 0.0));
            largest.push_back(*std::max_element(begin, end));
            smallest.push_back(*std::min_element(begin, end));
        }
        const Output out(shape.rows);
        need(reduce(programs(), flavour, Reduction::sum, buffer, out.buffer(), shape));
        EXPECT_LE(error_of(out.values(), sums), 1e-5);
        need(reduce(programs(), flavour, Reduction::largest, buffer, out.buffer(), shape));
        EXPECT_EQ(error_of(out.values(), largest), 0);
        need(reduce(programs(), flavour, Reduction::smallest, buffer, out.buffer(), shape));
        EXPECT_EQ(error_of(out.values(), smallest), 0);
    });
}

TEST(Rows, TopKGivesTheLeftmostOfEquals) {
    for (const auto flavour : kFlavours) {
        for (const auto shape : kShapes) {
            auto in = random_floats(std::size_t{shape.rows} * shape.columns, 9, 20);
            for (auto& value : in) value = std::round(value);  // many are equal
            const auto k = std::min(shape.columns, 7U);
            const Output values(std::size_t{shape.rows} * k);
            const auto places = upload(std::vector<std::uint32_t>(std::size_t{shape.rows} * k));
            need(top_k(programs(), flavour, upload(in), k, values.buffer(), places, shape));
            std::vector<std::uint32_t> columns(std::size_t{shape.rows} * k);
            need(programs().device().read(places, std::as_writable_bytes(std::span(columns))));
            const auto got = values.values();
            for (std::size_t row = 0; row < shape.rows; ++row) {
                const auto* const numbers = in.data() + row * shape.columns;
                std::vector<std::uint32_t> order(shape.columns);
                std::iota(order.begin(), order.end(), 0U);
                std::ranges::sort(order, [&](auto a, auto b) {
                    return numbers[a] != numbers[b] ? numbers[a] > numbers[b] : a < b;
                });
                for (std::size_t i = 0; i < k; ++i) {
                    ASSERT_EQ(columns[row * k + i], order[i]) << row << " " << i;
                    ASSERT_EQ(got[row * k + i], numbers[order[i]]);
                }
            }
        }
    }
}

TEST(Rows, TopKRefusesWhatIsNotThere) {
    const auto buffer = upload(Floats(4));
    for (const auto k : {0U, 5U}) {
        const auto refused =
            top_k(programs(), Flavour::block, buffer, k, buffer, buffer, Shape{1, 4});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::invalid_input);
    }
}

TEST(Rows, EmbeddingAddsThreeVectorsAndReadsNothingOutside) {
    constexpr std::uint32_t kColumns = 100;
    const auto words = random_floats(50 * kColumns, 10);
    const auto positions = random_floats(20 * kColumns, 11);
    const auto segments = random_floats(2 * kColumns, 12);
    const auto gain = random_floats(kColumns, 13);
    const auto shift = random_floats(kColumns, 14);
    const std::vector<std::uint32_t> word{3, 49, 0, 7, 50, 4'000'000'000, 12};
    const std::vector<std::uint32_t> position{0, 1, 2, 19, 3, 4, 20};
    const std::vector<std::uint32_t> segment{0, 1, 0, 1, 1, 9, 0};
    std::vector<double> expected;
    for (std::size_t t = 0; t < word.size(); ++t) {
        for (std::uint32_t i = 0; i < kColumns; ++i) {
            expected.push_back(double{words[std::min(word[t], 49U) * kColumns + i]} +
                               positions[std::min(position[t], 19U) * kColumns + i] +
                               segments[std::min(segment[t], 1U) * kColumns + i]);
        }
    }
    normalise(expected, kColumns, gain, shift, 1e-12);
    const auto word_table = upload(words);
    const auto position_table = upload(positions);
    const auto segment_table = upload(segments);
    const auto word_ids = upload(word);
    const auto position_ids = upload(position);
    const auto segment_ids = upload(segment);
    const auto gains = upload(gain);
    const auto shifts = upload(shift);
    for (const auto flavour : kFlavours) {
        const Output out(expected.size());
        need(embed(programs(), flavour, {word_ids, position_ids, segment_ids},
                   {{word_table, 50}, {position_table, 20}, {segment_table, 2}},
                   Norm{gains, shifts, 1e-12F}, out.buffer(), {7, kColumns}));
        EXPECT_LE(error_of(out.values(), expected), 1e-5);
    }
}

}  // namespace
}  // namespace plimsoll::operations
