#include "engine/models/proof.hpp"

#include "tests/unit/engine/temporary_folder.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace plimsoll::models {
namespace {

Proof proof(const std::string& form, const std::string& method) {
    return {.form = form,
            .method = method,
            .passed = form == "bf16",
            .why = form == "bf16" ? "" : "9 labels differ where fp32 has a clear margin",
            .texts = 512,
            .same_label = 503,
            .flips = 9,
            .difference_p99 = 0.01,
            .difference_most = 0.25,
            .outlier_columns = 3,
            .outlier_ratio = 77,
            .speedup = 2.25,
            .seconds_per_token = 0.000125,
            .device = "cpu",
            .proven_at = "2026-03-02T09:00:00Z"};
}

TEST(Proofs, AreStoredWithTheFilesOfTheirModel) {
    const TemporaryFolder folder;
    EXPECT_TRUE(read_proofs(folder.path(), "a").empty());
    const auto bf16 = proof("bf16", "block_bf16");
    const auto int8 = proof("int8", "block_int8");
    ASSERT_TRUE(keep_proofs(folder.path(), "a", {bf16, int8}));
    EXPECT_EQ(read_proofs(folder.path(), "a"), (std::vector{bf16, int8}));
    EXPECT_TRUE(read_proofs(folder.path(), "b").empty());  // of other files
}

TEST(Proofs, ReplaceOlderOnesOfTheirFormAndMethod) {
    const TemporaryFolder folder;
    auto again = proof("int8", "block_int8");
    const auto other = proof("int8", "block_int8_avx2");
    ASSERT_TRUE(keep_proofs(folder.path(), "a", {again, other}));
    again.speedup = 3;
    ASSERT_TRUE(keep_proofs(folder.path(), "a", {again}));
    EXPECT_EQ(read_proofs(folder.path(), "a"), (std::vector{other, again}));
}

TEST(Proofs, ThatCannotBeReadAreIgnored) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "forms.json") << R"({"version":2,"hash":"a","findings":[{}]})";
    EXPECT_TRUE(read_proofs(folder.path(), "a").empty());
    EXPECT_EQ(keep_proofs(folder.path() / "gone", "a", {}).error().code, Errc::unavailable);
}

}  // namespace
}  // namespace plimsoll::models
