#include "engine/base/closest.hpp"
#include "engine/base/format_number.hpp"
#include "engine/base/result.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

const std::vector<std::string> kCards = {"rtx_3090", "rtx_4090", "a100_40gb", "a100_80gb", "t4"};

TEST(Closest, IgnoresCaseAndPunctuation) {
    EXPECT_EQ(closest("RTX 3090", kCards), "rtx_3090");
    EXPECT_EQ(closest("A100-80GB", kCards), "a100_80gb");
    EXPECT_EQ(closest("T4", kCards), "t4");
}

TEST(Closest, FindsTheOnlyOneThatContainsIt) {
    EXPECT_EQ(closest("4090", kCards), "rtx_4090");
    EXPECT_EQ(closest("RTX", kCards), std::nullopt);
    EXPECT_EQ(closest("A100", kCards), std::nullopt);
}

TEST(Closest, ToleratesTypingErrors) {
    const std::vector<std::string> commands = {"estimate", "engine", "login", "logout"};
    EXPECT_EQ(closest("estimat", commands), "estimate");
    EXPECT_EQ(closest("estiamte", commands), "estimate");
    EXPECT_EQ(closest("lgoin", commands), "login");
    EXPECT_EQ(closest("frobnicate", commands), std::nullopt);
    EXPECT_EQ(closest("", commands), std::nullopt);
    EXPECT_EQ(closest(std::string(1 << 20, 'e'), commands), std::nullopt);
    EXPECT_EQ(closest("x", {}), std::nullopt);
}

TEST(Closest, ABeginningOutranksATypingError) {
    const std::vector<std::string> cards = {"a10", "a100_40gb", "h100_80gb", "h100_94gb", "h200"};
    EXPECT_EQ(closest("h20", cards), "h200");
    EXPECT_EQ(closest("a1", cards), "a10");
    EXPECT_EQ(closest("h10", cards), std::nullopt);
    EXPECT_EQ(did_you_mean("h10", cards), " Did you mean \"h100_80gb\" or \"h100_94gb\"?");
    const std::vector<std::string> commands = {"submit-bundle", "submit", "logout", "login",
                                               "logs"};
    EXPECT_EQ(closest("sub", commands), "submit");
    EXPECT_EQ(did_you_mean("log", commands), " Did you mean \"logout\", \"login\" or \"logs\"?");
}

TEST(Closest, EndsASentence) {
    EXPECT_EQ("None." + did_you_mean("t-4", kCards), "None. Did you mean \"t4\"?");
    EXPECT_EQ(did_you_mean("zzz", kCards), "");
    EXPECT_EQ(did_you_mean("a", {std::vector<std::string>{"ab", "ac", "ad", "ae"}}), "");
}

TEST(FormatCount, GroupsThousands) {
    EXPECT_EQ(format_count(0), "0");
    EXPECT_EQ(format_count(999), "999");
    EXPECT_EQ(format_count(1000), "1,000");
    EXPECT_EQ(format_count(1234567), "1,234,567");
    EXPECT_EQ(format_count(-1234), "-1,234");
    EXPECT_EQ(format_count(-123), "-123");
}

TEST(FormatFigure, HasThreeDigitsAndAllBeforeThePoint) {
    EXPECT_EQ(format_figure(0), "0");
    EXPECT_EQ(format_figure(0.002812), "0.00281");
    EXPECT_EQ(format_figure(4), "4");
    EXPECT_EQ(format_figure(28.11), "28.1");
    EXPECT_EQ(format_figure(99.94), "99.9");
    EXPECT_EQ(format_figure(99.96), "100");
    EXPECT_EQ(format_figure(412.5001), "413");
    EXPECT_EQ(format_figure(4228784.2), "4,228,784");
    EXPECT_EQ(format_figure(-1234.4), "-1,234");
    EXPECT_EQ(format_figure(1e30), "1e+30");
}

Result<int> half(int n) {
    if (n % 2 != 0) return fail(Errc::invalid_input, "The number must be even.", "/n");
    return n / 2;
}

TEST(Result, HoldsTheValueOrTheErrorWithItsField) {
    EXPECT_EQ(half(4).value(), 2);
    const auto odd = half(3);
    ASSERT_FALSE(odd);
    EXPECT_EQ(odd.error().code, Errc::invalid_input);
    EXPECT_EQ(odd.error().where, "/n");
}

}  // namespace

}  // namespace plimsoll
