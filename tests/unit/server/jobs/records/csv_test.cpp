#include "server/jobs/records/csv.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs {
namespace {

std::string cell(const nlohmann::json& value) {
    const std::array<Column, 1> columns{Column{"text"}};
    std::string out;
    append_csv_row(out, columns, {{"text", value}});
    return out;
}

TEST(Csv, QuotesWhatWouldEndTheCell) {
    EXPECT_EQ(cell("calm"), "calm\r\n");
    EXPECT_EQ(cell("a, \"b\"\nc"), "\"a, \"\"b\"\"\nc\"\r\n");
    EXPECT_EQ(cell(nullptr), "\r\n");
    EXPECT_EQ(cell(-1.5), "-1.5\r\n");
}

TEST(Csv, ATextIsNoFormula) {
    for (const std::string sign :
         {"=", "+", "-", "@", "\t", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"}) {
        EXPECT_EQ(cell(sign + "1"), "'" + sign + "1\r\n") << sign;
    }
    EXPECT_EQ(cell("\n=1"), "\"'\n=1\"\r\n");
    EXPECT_EQ(cell("\r=1"), "\"'\r=1\"\r\n");
    EXPECT_EQ(cell("größer"), "größer\r\n");
    EXPECT_EQ(cell(""), "\r\n");
}

}  // namespace
}  // namespace plimsoll::jobs
