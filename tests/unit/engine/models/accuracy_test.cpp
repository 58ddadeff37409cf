#include "engine/models/accuracy.hpp"

#include "tests/unit/engine/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace plimsoll::models {
namespace {

Accuracy accuracy(const std::string& form, std::uint64_t right) {
    return {.form = form,
            .texts_of = "tweets.jsonl",
            .texts = 1000,
            .right = right,
            .low = 0.6,
            .high = 0.7,
            .macro_f1 = {},
            .device = "cpu",
            .measured_at = "2026-03-02T09:00:00Z"};
}

TEST(Accuracies, BelongToTheExactFilesAndReplaceEarlierOnes) {
    const TemporaryFolder folder;
    EXPECT_TRUE(read_accuracies(folder.path(), "a").empty());
    auto exact = accuracy("fp32", 655);
    exact.macro_f1 = 0.625;
    const auto narrow = accuracy("int8", 651);
    ASSERT_TRUE(keep_accuracies(folder.path(), "a", {exact, narrow}));
    EXPECT_EQ(read_accuracies(folder.path(), "a"), (std::vector{exact, narrow}));
    EXPECT_TRUE(read_accuracies(folder.path(), "b").empty());
    ASSERT_TRUE(keep_accuracies(folder.path(), "a", {narrow}));
    EXPECT_EQ(read_accuracies(folder.path(), "a"), std::vector{narrow});
    EXPECT_EQ(keep_accuracies(folder.path() / "gone", "a", {}).error().code, Errc::unavailable);
}

}  // namespace
}  // namespace plimsoll::models
