#include "server/kinds/training_config/command/configs/line_diff.hpp"

#include <random>
#include <sstream>
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

TEST(LineDiff, EqualTextsHaveNone) {
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

TEST(LineDiff, MarksALastLineWithoutALineBreak) {
    EXPECT_EQ(unified_diff("f", "a", "b"),
              "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n"
              "\\ No newline at end of file\n");
}

TEST(LineDiff, KeepsAnUnchangedLineBetweenChanges) {
    EXPECT_EQ(unified_diff("f", "a: 1\nrate: 3\nb: 1\n", "a: 2\nnew: 1\nrate: 3\nb: 2\n"),
              "--- f\n+++ f\n@@ -1,3 +1,4 @@\n-a: 1\n+a: 2\n+new: 1\n rate: 3\n-b: 1\n+b: 2\n");
}

// What `patch` does: copies up to a hunk, then follows its lines.
std::string patched(const std::string& before, const std::string& diff) {
    std::istringstream old_lines(before), edits(diff);
    std::string line, out, kept;
    int reached = 1;
    const auto next = [&] {
        std::getline(old_lines, kept);
        ++reached;
        return kept + "\n";
    };
    while (std::getline(edits, line)) {
        if (line.starts_with("---") || line.starts_with("+++")) continue;
        if (line.starts_with("@@ -")) {
            const int begin = std::stoi(line.substr(4));
            while (reached < begin) out += next();
        } else if (line.starts_with("+")) {
            out += line.substr(1) + "\n";
        } else {
            const auto old_line = next();
            EXPECT_EQ(old_line, line.substr(1) + "\n");
            if (line.starts_with(" ")) out += old_line;
        }
    }
    while (std::getline(old_lines, kept)) out += kept + "\n";
    return out;
}

TEST(LineDiff, CanBeAppliedToTheOldText) {
    std::minstd_rand random(7);
    for (int round = 0; round < 500; ++round) {
        std::string before, after;
        for (unsigned line = 0; line < random() % 40 + 1; ++line) {
            const auto text = "key: " + std::to_string(random() % 4) + "\n";
            if (random() % 6 != 0) before += text;
            if (random() % 6 != 0) after += text;
        }
        EXPECT_EQ(patched(before, unified_diff("f", before, after)), after) << before << "to\n"
                                                                            << after;
    }
}

TEST(LineDiff, ShowsVeryDifferentTextsAsOneChange) {
    const auto before = numbered(700);
    std::string after;
    for (int i = 1; i <= 700; ++i) after += "other\n";
    const auto diff = unified_diff("f", before, after);
    EXPECT_TRUE(diff.starts_with("--- f\n+++ f\n@@ -1,700 +1,700 @@\n-1\n-2\n"));
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
