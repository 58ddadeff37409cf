#include "server/kinds/training_config/contract/configs/config_edit.hpp"

#include <gtest/gtest.h>

namespace plimsoll::jobs::training_config {
namespace {

std::string numbered(int last) {
    std::string text;
    for (int i = 1; i <= last; ++i) text += std::to_string(i) + "\n";
    return text;
}

TEST(LineDiff, WithoutChangesThereIsNone) { EXPECT_EQ(unified_diff("f", "a\n", {}), ""); }

TEST(LineDiff, ShowsThreeLinesAround) {
    EXPECT_EQ(unified_diff("f.yaml", numbered(9), {{4, "five\n"}}),
              "--- f.yaml\n+++ f.yaml\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(LineDiff, JoinsChangesWhoseContextsMeet) {
    const auto hunks = [](const ChangedLines& changed) {
        const auto diff = unified_diff("f", numbered(30), changed);
        int count = 0;
        for (auto at = diff.find("@@ -"); at != std::string::npos; at = diff.find("@@ -", at + 1))
            ++count;
        return count;
    };
    EXPECT_EQ(hunks({{9, "ten\n"}, {16, "seventeen\n"}}), 1);
    EXPECT_EQ(hunks({{9, "ten\n"}, {17, "eighteen\n"}}), 2);
}

TEST(LineDiff, CountsAddedLines) {
    EXPECT_EQ(unified_diff("f", "a\nb\n", {{1, "new\nmore\nb\n"}}),
              "--- f\n+++ f\n@@ -1,2 +1,4 @@\n a\n+new\n+more\n b\n");
    const auto diff = unified_diff("f", numbered(30), {{0, "0\n1\n"}, {19, "twenty\n"}});
    EXPECT_NE(diff.find("@@ -1,4 +1,5 @@\n+0\n 1\n"), std::string::npos) << diff;
    EXPECT_NE(diff.find("@@ -17,7 +18,7 @@\n"), std::string::npos) << diff;
}

TEST(LineDiff, MarksALastLineWithoutALineBreak) {
    EXPECT_EQ(unified_diff("f", "a", {{0, "b"}}),
              "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n"
              "\\ No newline at end of file\n");
}

TEST(LineDiff, KeepsAnUnchangedLineBetweenChanges) {
    EXPECT_EQ(unified_diff("f", "a: 1\nrate: 3\nb: 1\n",
                           {{0, "a: 2\n"}, {1, "new: 1\nrate: 3\n"}, {2, "b: 2\n"}}),
              "--- f\n+++ f\n@@ -1,3 +1,4 @@\n-a: 1\n+a: 2\n+new: 1\n rate: 3\n-b: 1\n+b: 2\n");
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
