#include "server/jobs/training_config/command/configs/line_diff.hpp"

#include <string>

#include <gtest/gtest.h>

namespace plimsoll::jobs::training_config {
namespace {

std::string numbered(int last) {
    std::string text;
    for (int i = 1; i <= last; ++i) text += std::to_string(i) + "\n";
    return text;
}

std::string with(std::string text, std::string_view line, std::string_view other) {
    return text.replace(text.find(line), line.size(), other);
}

TEST(LineDiff, SameTextsHaveNone) {
    EXPECT_EQ(unified_diff("f", "a\n", "a\n"), "");
}

TEST(LineDiff, ShowsThreeLinesAround) {
    const auto before = numbered(9);
    EXPECT_EQ(unified_diff("f.yaml", before, with(before, "5\n", "five\n")),
              "--- f.yaml\n+++ f.yaml\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(LineDiff, JoinsChangesWhoseContextsMeet) {
    const auto before = numbered(30);
    const auto near = with(with(before, "\n10\n", "\nten\n"), "\n17\n", "\nseventeen\n");
    const auto far = with(with(before, "\n10\n", "\nten\n"), "\n18\n", "\neighteen\n");
    const auto hunks = [](const std::string& diff) {
        int count = 0;
        for (auto at = diff.find("@@ -"); at != std::string::npos; at = diff.find("@@ -", at + 1))
            ++count;
        return count;
    };
    EXPECT_EQ(hunks(unified_diff("f", before, near)), 1);
    EXPECT_EQ(hunks(unified_diff("f", before, far)), 2);
}

TEST(LineDiff, CountsAddedLines) {
    EXPECT_EQ(unified_diff("f", "a\nb\n", "a\nnew\nmore\nb\n"),
              "--- f\n+++ f\n@@ -1,2 +1,4 @@\n a\n+new\n+more\n b\n");
    EXPECT_EQ(unified_diff("f", "a\nb\nc\n", "a\nc\n"),
              "--- f\n+++ f\n@@ -1,3 +1,2 @@\n a\n-b\n c\n");
}

TEST(LineDiff, MarksALastLineWithoutAnEnd) {
    EXPECT_EQ(unified_diff("f", "a", "b"),
              "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n"
              "\\ No newline at end of file\n");
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
