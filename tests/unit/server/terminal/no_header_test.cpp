#include "server/terminal/files/no_header.hpp"

#include <gtest/gtest.h>

namespace plimsoll::terminal {
namespace {

TEST(NoHeader, IsImpliedByNumberedColumns) {
    EXPECT_TRUE(without_header({"custom_id=id", "text=#2"}));
    for (const auto* column : {"text=#", "text=#a", "text=2", "#2", "text=# 2"})
        EXPECT_FALSE(without_header({column})) << column;
}

TEST(NoHeader, NumbersTheColumnsOfTheFirstLine) {
    EXPECT_EQ(header_for("7;fine, really;x\n8;\"a,b,c,d\";y\n"), "#1;#2;#3\n");
    EXPECT_EQ(header_for("7;good, very good\n8;bad\n"), "#1;#2\n");
    EXPECT_EQ(header_for("\n\n"), "#1\n");
    EXPECT_EQ(header_for("7\t\"a;b;c\"\n"), "#1\t#2\n");
    EXPECT_EQ(header_for("\"two\nlines\",1"), "#1,#2\n");
    EXPECT_EQ(header_for("only"), "#1\n");
}

}  // namespace
}  // namespace plimsoll::terminal
