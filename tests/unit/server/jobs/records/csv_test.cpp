#include "server/jobs/records/csv.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs {
namespace {

std::string cell(const nlohmann::json& value) {
    const std::array<Column, 1> columns{Column{"text"}};
    std::string out;
    append_csv_row(out, columns, {}, {{"text", value}});
    return out;
}

TEST(Csv, QuotesCharactersThatWouldEndTheCell) {
    EXPECT_EQ(cell("calm"), "calm\r\n");
    EXPECT_EQ(cell("a, \"b\"\nc"), "\"a, \"\"b\"\"\nc\"\r\n");
    EXPECT_EQ(cell(nullptr), "\r\n");
    EXPECT_EQ(cell(-1.5), "-1.5\r\n");
}

TEST(Csv, ATextIsNotAFormula) {
    for (const std::string sign :
         {"=", "+", "-", "@", "\t", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"}) {
        EXPECT_EQ(cell(sign + "1"), "'" + sign + "1\r\n") << sign;
    }
    EXPECT_EQ(cell("\n=1"), "\"'\n=1\"\r\n");
    EXPECT_EQ(cell("\r=1"), "\"'\r=1\"\r\n");
    EXPECT_EQ(cell("größer"), "größer\r\n");
    EXPECT_EQ(cell(""), "\r\n");
}

TEST(Csv, KeptMembersAreColumnsOfTheirOwn) {
    const std::array<Column, 3> columns{Column{"text"}, Column{"kept"}, Column{"error"}};
    const std::vector<std::string> kept = {"region", "=note"};
    std::string out;
    append_csv_header(out, columns, kept);
    append_csv_row(out, columns, kept,
                   {{"text", "a"}, {"kept", {{"=note", "=1"}, {"region", "EU"}}}});
    append_csv_row(out, columns, kept, {{"text", "b"}, {"kept", nullptr}, {"error", "e"}});
    EXPECT_EQ(out, "text,region,'=note,error\r\na,EU,'=1,\r\nb,,,e\r\n");
    out.clear();
    append_csv_header(out, columns);
    append_csv_row(out, columns, {}, {{"text", "a"}, {"kept", {{"x", "y"}}}});
    EXPECT_EQ(out, "text,error\r\na,\r\n");
}

}  // namespace
}  // namespace plimsoll::jobs
