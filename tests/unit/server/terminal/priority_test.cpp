#include "server/terminal/priority.hpp"

#include <gtest/gtest.h>

namespace plimsoll::terminal {
namespace {

TEST(Priority, IsAWordOrANumber) {
    EXPECT_EQ(parse_priority("low").value(), -5);
    EXPECT_EQ(parse_priority("normal").value(), 0);
    EXPECT_EQ(parse_priority("highest").value(), 10);
    EXPECT_EQ(parse_priority("-10").value(), -10);
    for (const auto* wrong : {"", "urgent", "11", "-11", "1.5", "5 "})
        EXPECT_FALSE(parse_priority(wrong).has_value()) << wrong;
}

}  // namespace
}  // namespace plimsoll::terminal
