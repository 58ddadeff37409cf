#include "engine/base/closest.hpp"

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

}  // namespace
}  // namespace plimsoll
