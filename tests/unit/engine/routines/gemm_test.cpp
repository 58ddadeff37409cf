#include "engine/routines/gemm.hpp"

#include "tests/unit/engine/routines/on_device.hpp"

#include <gmock/gmock.h>

namespace plimsoll::routines::gemm_test {
namespace {

struct Size {
    std::uint32_t m, n, k;
};

// Around every tile's borders, and what a transformer asks for.
constexpr Size kSizes[] = {{1, 1, 1},    {7, 5, 3},      {8, 48, 32},   {9, 49, 33},
                           {65, 63, 31}, {64, 128, 64},  {31, 100, 17}, {40, 97, 1000},
                           {3, 768, 96}, {33, 145, 801}, {100, 7, 130}};

struct Case {
    GemmPlan plan;
    double tolerance;  // of a product with 801 terms, by its largest number
};

// What this machine can run. bf16 has 8 bits: each factor is off by up to 2^-9, and errors average
// out.
std::vector<Case> cases() {
    std::vector<Case> all{{{.method = Method::group_fp32}, 1e-5}};
    if (!on_processor()) return all;
    all.push_back({{.method = Method::block_fp32}, 1e-5});
    // Not a default: small tiles, several depths, tails in every direction.
    all.push_back({{Method::block_fp32, 12, 2, 64, 1, 1}, 1e-5});
    all.push_back({{Method::block_fp32, 5, 1, 32, 2, 3}, 1e-5});
    if (has_avx512_bf16()) {
        all.push_back({{.method = Method::block_bf16}, 1e-2});
        all.push_back({{Method::block_bf16, 12, 2, 64, 2, 1}, 1e-2});
    }
    return all;
}

std::string text_of(const GemmPlan& plan, const Size& size) {
    return std::string(to_string(plan.method)) + " " + std::to_string(plan.rows) + " " +
           std::to_string(plan.vectors) + " " + std::to_string(plan.depth) + ": " +
           std::to_string(size.m) + " x " + std::to_string(size.n) + " x " + std::to_string(size.k);
}

// What a test adds to a plain product.
struct Epilogue {
    bool bias = false;
    bool gelu = false;
    bool residual = false;
    bool norm = false;
};

// The error of one product.
enum class Order { rows, columns, rows_on_the_way };

double error_of_product(const GemmPlan& plan, Size size, Epilogue with, Order order = Order::rows) {
    const auto [m, n, k] = size;
    const auto a = random_floats(std::size_t{m} * k, 1);
    const auto b = random_floats(std::size_t{k} * n, 2, 0.1F);
    const auto bias = random_floats(n, 3);
    const auto residual = random_floats(std::size_t{m} * n, 4);
    const auto gain = random_floats(n, 5);
    const auto shift = random_floats(n, 6);
    const bool transposed = order == Order::columns;
    const bool packs_itself = order == Order::rows_on_the_way;
    const MatrixB matrix = transposed ? MatrixB{k, n, 1, k} : MatrixB{k, n, n, 1};
    std::vector<double> expected(std::size_t{m} * n, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::size_t d = 0; d < k; ++d)
                sum += double{a[i * k + d]} * b[d * matrix.depth_stride + j * matrix.column_stride];
            if (with.bias) sum += bias[j];
            if (with.gelu) sum = gelu(sum);
            if (with.residual) sum += residual[i * n + j];
            expected[i * n + j] = sum;
        }
    }
    if (with.norm) normalise(expected, n, gain, shift, 1e-5);
    const auto a_there = upload(a);
    const auto b_there = upload(b);
    const auto bias_there = upload(bias);
    const auto residual_there = upload(residual);
    const auto gain_there = upload(gain);
    const auto shift_there = upload(shift);
    const Norm norm{gain_there, shift_there, 1e-5F};
    const Output packed(packed_bytes(plan, k, n) / sizeof(float));
    if (!packs_itself) {
        need(pack(programs(), plan, b_there, matrix, packed.buffer()));
        (void)packed.values();  // nothing behind it was written
    }
    const Output c(expected.size());
    need(multiply(programs(), plan,
                  {.a = a_there,
                   .b = packs_itself ? b_there : packed.buffer(),
                   .c = c.buffer(),
                   .m = m,
                   .n = n,
                   .k = k,
                   .bias = with.bias ? &bias_there : nullptr,
                   .gelu = with.gelu,
                   .residual = with.residual ? &residual_there : nullptr,
                   .norm = with.norm ? &norm : nullptr,
                   .packed = !packs_itself}));
    return error_of(c.values(), expected);
}

TEST(Gemm, IsCorrectAtEverySize) {
    for (const auto& [plan, tolerance] : cases())
        for (const auto& size : kSizes)
            EXPECT_LE(error_of_product(plan, size, {}), tolerance) << text_of(plan, size);
}

TEST(Gemm, AcceptsWeightsInEitherOrder) {
    for (const auto& [plan, tolerance] : cases()) {
        const Size size{33, 145, 801};
        EXPECT_LE(error_of_product(plan, size, {}, Order::columns), tolerance)
            << text_of(plan, size);
    }
}

TEST(Gemm, PacksRowsOfBOnTheFly) {
    for (const auto& [plan, tolerance] : cases()) {
        if (plan.method != Method::block_fp32) continue;
        for (const auto& size : kSizes) {
            EXPECT_LE(error_of_product(plan, size, {}, Order::rows_on_the_way), tolerance)
                << text_of(plan, size);
        }
        const Epilogue all{.bias = true, .gelu = true, .residual = true, .norm = true};
        const Size size{40, 97, 100};
        EXPECT_LE(error_of_product(plan, size, all, Order::rows_on_the_way), 2 * tolerance)
            << text_of(plan, size);
    }
}

TEST(Gemm, FusesBiasGeluResidualAndNorm) {
    const Epilogue all{.bias = true, .gelu = true, .residual = true, .norm = true};
    const Epilogue some[] = {
        all, {.bias = true}, {.gelu = true}, {.residual = true}, {.norm = true}};
    for (const auto& [plan, tolerance] : cases()) {
        const bool once = plan == GemmPlan{.method = plan.method};
        // One by one for the two flavours of code, together for all plans.
        const bool each = once && plan.method != Method::block_bf16;
        for (const auto& epilogue : std::span(some).first(each ? 5 : 1)) {
            for (const Size size : {Size{40, 97, 100}, Size{9, 49, 200}}) {
                EXPECT_LE(error_of_product(plan, size, epilogue), 2 * tolerance)
                    << text_of(plan, size);
            }
        }
    }
}

TEST(Gemm, OnlyProvenInstructionsAreChosen) {
    opencl::Capability device;
    device.info.type = opencl::DeviceType::cpu;
    const auto chosen = [&](Form form) { return method_for(device, form); };
    EXPECT_EQ(chosen(Form::bf16), Method::block_fp32);
    device.features = {{"avx512_bf16", 0, 0, {}}, {"amx_bf16", 0, 0, "killed by SIGILL"}};
    EXPECT_EQ(chosen(Form::bf16), Method::block_bf16);
    EXPECT_EQ(chosen(Form::fp32), Method::block_fp32);
    device.features.back().failure.clear();
    EXPECT_EQ(chosen(Form::bf16), Method::block_amx);
    EXPECT_THAT(methods_for(device, Form::bf16),
                testing::ElementsAre(Method::block_amx, Method::block_bf16));
    EXPECT_TRUE(methods_for(device, Form::int8).empty());
    device.info.type = opencl::DeviceType::gpu;
    EXPECT_EQ(chosen(Form::bf16), Method::group_fp32);
    device.features = {{"mma_bf16", 0, 0, {}}};
    EXPECT_EQ(chosen(Form::bf16), Method::group_mma);
    EXPECT_EQ(chosen(Form::fp32), Method::group_fp32);
}

TEST(Gemm, DefaultsAreSoundOnAnyDevice) {
    for (const auto method : {Method::block_fp32, Method::block_bf16, Method::block_amx,
                              Method::group_fp32, Method::group_mma}) {
        for (const std::uint32_t units : {1U, 2U, 96U, 1000U})
            for (const std::uint32_t size : {1U, 64U, 5000U})
                EXPECT_TRUE(check(default_plan(method, units, size, size)));
    }
    // One work-item would keep all other cores waiting.
    EXPECT_LT(default_plan(Method::block_fp32, 64, 64, 768).column_panels, 16U);
}

TEST(Gemm, RejectsInvalidPlans) {
    const GemmPlan plans[] = {
        {Method::block_fp32, 0, 3, 768, 4, 16}, {Method::block_fp32, 17, 3, 768, 4, 16},
        {Method::block_fp32, 8, 7, 768, 4, 16}, {Method::block_fp32, 8, 3, 100, 4, 16},
        {Method::block_fp32, 8, 3, 0, 4, 16},   {Method::block_fp32, 8, 3, 4096, 256, 16},
        {Method::block_fp32, 8, 3, 768, 4, 0},  {Method::block_amx, 16, 2, 768, 4, 16}};
    const auto buffer = upload(Floats(64));
    for (const auto& plan : plans) {
        const auto refused = multiply(programs(), plan, {buffer, buffer, buffer, 1, 1, 1});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::invalid_input);
    }
    EXPECT_FALSE(multiply(programs(), {}, {buffer, buffer, buffer, 1, 1, 0}));
    const GemmPlan mma{.method = Method::group_mma};
    for (const auto& product :
         {Product{.a = buffer, .b = buffer, .c = buffer, .m = 1, .n = 8, .k = 8},
          {.a = buffer, .b = buffer, .c = buffer, .m = 1, .n = 8, .k = 12, .narrow_a = true},
          {.a = buffer, .b = buffer, .c = buffer, .m = 1, .n = 12, .k = 8, .narrow_a = true}}) {
        EXPECT_EQ(multiply(programs(), mma, product).error().code, Errc::invalid_input);
    }
    const GemmPlan group{.method = Method::group_fp32};
    const Product rows{
        .a = buffer, .b = buffer, .c = buffer, .m = 1, .n = 1, .k = 1, .packed = false};
    EXPECT_EQ(multiply(programs(), group, rows).error().code, Errc::invalid_input);
}

// Neither can run here without the processor or the GPU, but a driver's compiler reads this one.
TEST(Gemm, TheTileInstructionsOfAmxCompile) {
    if (!on_processor()) GTEST_SKIP() << "of processors";
    const auto built = programs().get(
        "gemm_block",
        row_options(Flavour::block) + dot_options(Method::block_amx) +
            " -DROWS=32 -DVECTORS=2 -DDEPTH=768 -DPANELS=2 -DPACKED=1 "
            "-DDEPTH_UNIT=32 -DBIAS=1 -DGELU=1 -DRESIDUAL=1 -DNORM=1 -DCOPY=1 "
            "-DNARROW=1 -DNARROW_C=0",
        [] { return row_source({"dot", "rotate", "narrow_row", "gemm_epilogue", "gemm_block"}); });
    EXPECT_TRUE(built) << built.error().message;
}

}  // namespace
}  // namespace plimsoll::routines::gemm_test
