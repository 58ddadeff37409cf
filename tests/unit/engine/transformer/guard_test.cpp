#include "engine/transformer/guard.hpp"

#include "engine/opencl/probing/probe.hpp"
#include "tests/unit/engine/models/tiny_model.hpp"
#include "tests/unit/engine/routines/on_device.hpp"

#include <set>

#include <gmock/gmock.h>

namespace plimsoll::transformer {
namespace {

using models::Proof;
using routines::Form;
using routines::need;
using routines::programs;
using ::testing::HasSubstr;

Proof compared(const std::vector<float>& exact, const std::vector<float>& found, Form form) {
    Proof proof;
    compare(exact, found, 2, form, proof);
    return proof;
}

// So many texts that fp32 finds positive by this probability.
std::vector<float> texts(std::size_t count, float positive) {
    std::vector<float> all;
    for (std::size_t i = 0; i < count; ++i) all.insert(all.end(), {positive, 1 - positive});
    return all;
}

std::vector<float> joined(std::vector<float> first, const std::vector<float>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

TEST(Guard, PassesNearlyEqualScores) {
    const auto proof = compared(texts(200, 0.7F), texts(200, 0.705F), Form::bf16);
    EXPECT_TRUE(proof.passed) << proof.why;
    EXPECT_EQ(proof.texts, 200U);
    EXPECT_EQ(proof.same_label, 200U);
    EXPECT_NEAR(proof.max_difference, 0.005, 1e-6);
    EXPECT_EQ(proof.flips, 0U);
}

TEST(Guard, BoundsTheDifferenceOfProbabilities) {
    const auto far = texts(200, 0.72F);
    EXPECT_TRUE(compared(texts(200, 0.7F), far, Form::int8).passed);
    const auto proof = compared(texts(200, 0.7F), far, Form::bf16);
    EXPECT_FALSE(proof.passed);
    EXPECT_THAT(proof.why, HasSubstr("more than 0.02, above the allowed 0.01"));
}

TEST(Guard, RequiresMostLabelsOfFp32) {
    // Unsure ones differ: 3 of 400 are too many for bf16, and few enough for int8.
    const auto exact = joined(texts(397, 0.7F), texts(3, 0.501F));
    const auto found = joined(texts(397, 0.7F), texts(3, 0.499F));
    EXPECT_TRUE(compared(exact, found, Form::int8).passed);
    const auto proof = compared(exact, found, Form::bf16);
    EXPECT_EQ(proof.same_label, 397U);
    EXPECT_EQ(proof.flips, 0U);
    EXPECT_THAT(proof.why, HasSubstr("% of labels match"));
}

TEST(Guard, NoLabelDiffersIfFp32IsCertain) {
    const auto proof = compared(joined(texts(999, 0.7F), texts(1, 0.56F)),
                                joined(texts(999, 0.7F), texts(1, 0.49F)), Form::int8);
    EXPECT_EQ(proof.flips, 1U);
    EXPECT_EQ(proof.why, "1 labels differ where fp32 has a clear margin");
}

TEST(Guard, RejectsNan) {
    auto found = texts(20, 0.7F);
    for (auto& one : found) one = std::nanf("");
    EXPECT_FALSE(compared(texts(20, 0.7F), found, Form::int8).passed);
}

TEST(Guard, FindsOutlierColumns) {
    std::vector<float> largest(100, 2.0F);
    largest[3] = 41;
    largest[50] = 100;
    largest[51] = 39;
    Proof proof;
    find_outliers(largest, proof);
    EXPECT_EQ(proof.outlier_columns, 2U);
    EXPECT_EQ(proof.outlier_ratio, 50);
}

TEST(Guard, ItsTextsAreDiverseAndFixed) {
    const auto all = calibration_texts();
    EXPECT_EQ(all.size(), 512U);
    EXPECT_EQ(all, calibration_texts());
    EXPECT_GT(std::set<std::string>(all.begin(), all.end()).size(), 450U);
}

Proof proof_of(const std::string& form, const std::string& method, bool passed, double speedup) {
    Proof proof;
    proof.form = form;
    proof.method = method;
    proof.passed = passed;
    proof.speedup = speedup;
    return proof;
}

TEST(Guard, TheFastestMethodThatPassedIsUsed) {
    using routines::Method;
    opencl::Capability device;
    device.info.type = opencl::DeviceType::cpu;
    device.features = {{"avx512_bf16", 0, 0, {}}, {"amx_bf16", 0, 0, {}}, {"avx2", 0, 0, {}}};
    const std::vector proofs{
        proof_of("bf16", "block_amx", true, 1.4), proof_of("bf16", "block_bf16", true, 1.9),
        proof_of("int8", "block_int8", true, 3), proof_of("int8", "block_int8_avx2", false, 2)};
    const auto used = [&](Form form) { return proven_method(proofs, form, device); };
    EXPECT_EQ(used(Form::fp32), Method::block_fp32);
    EXPECT_EQ(used(Form::bf16), Method::block_bf16) << "though AMX is usually faster";
    EXPECT_EQ(used(Form::int8), std::nullopt) << "that of another processor, or refused";
    device.features.front().failure = "killed by SIGILL";
    EXPECT_EQ(used(Form::bf16), Method::block_amx);
    device.features.push_back({"avx512_vnni", 0, 0, {}});
    EXPECT_EQ(used(Form::int8), Method::block_int8);
}

TEST(Guard, MeasuresEveryMethodOfAForm) {
    if (!routines::on_processor() || !__builtin_cpu_supports("avx512vnni"))
        GTEST_SKIP() << "of processors with AVX512-VNNI";
    TemporaryFolder folder;
    TinyModel().write(folder.path());
    opencl::Ledger ledger(64 << 20);
    auto capability = opencl::assess(programs().device());
    capability.features = {{"avx2", 0, 0, {}}, {"avx512_vnni", 0, 0, {}}};
    const tuning::Plans plans(programs().device().info());
    const std::vector<std::string> texts{"good news", "bad news"};
    const std::vector forms{Form::int8};
    const auto proven =
        need(prove({folder.path(), programs(), ledger, capability, plans, texts}, forms, {}));
    ASSERT_EQ(proven.proofs.size(), 2U);
    EXPECT_EQ(proven.proofs[0].method, "block_int8");
    EXPECT_EQ(proven.proofs[1].method, "block_int8_avx2");
    EXPECT_EQ(proven.proofs[0].max_difference, proven.proofs[1].max_difference);
    ASSERT_EQ(proven.outputs.size(), 2U) << "fp32 and int8";
}

TEST(Guard, ProvesTheFormsOfAModel) {
    TemporaryFolder folder;
    TinyModel tiny;
    tiny.write(folder.path());
    opencl::Ledger ledger(64 << 20);
    auto capability = opencl::assess(programs().device());
    if (!routines::on_processor() || !__builtin_cpu_supports("avx2"))
        GTEST_SKIP() << "of processors with AVX2";
    capability.features = {{"avx2", 0, 0, {}}};
    const tuning::Plans plans(programs().device().info());
    const std::vector<std::string> said{"good news", "bad news", "every one", "news for every one"};
    const Guarded guarded{folder.path(), programs(), ledger, capability, plans, said};
    const std::vector forms{Form::int8};
    const auto proven = need(prove(guarded, forms, {}));
    const auto& proofs = proven.proofs;
    ASSERT_EQ(proven.outputs.size(), 2U);
    EXPECT_EQ(proven.outputs[0].form, "fp32");
    EXPECT_EQ(proven.outputs[1].form, "int8");
    EXPECT_EQ(proven.outputs[0].probabilities.size(), 4 * tiny.config["id2label"].size());
    EXPECT_NE(proven.outputs[0].probabilities, proven.outputs[1].probabilities);
    EXPECT_FALSE(proofs[0].proven_at.empty());
    ASSERT_EQ(proofs.size(), 1U);
    EXPECT_EQ(proofs[0].form, "int8");
    EXPECT_EQ(proofs[0].method, "block_int8_avx2");
    EXPECT_EQ(proofs[0].texts, 4U);
    EXPECT_GT(proofs[0].max_difference, 0);
    EXPECT_GT(proofs[0].outlier_ratio, 1);
    EXPECT_GT(proofs[0].speedup, 0);
    EXPECT_GT(proofs[0].seconds_per_token, 0);
    EXPECT_EQ(ledger.used(), 0U);
    const Guarded silent{folder.path(), programs(), ledger, capability, plans, {}};
    EXPECT_EQ(prove(silent, forms, {}).error().code, Errc::invalid_input);
}

}  // namespace
}  // namespace plimsoll::transformer
