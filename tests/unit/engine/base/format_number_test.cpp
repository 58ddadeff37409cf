#include "engine/base/format_number.hpp"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

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

}  // namespace
}  // namespace plimsoll
