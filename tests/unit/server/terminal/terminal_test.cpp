#include "server/terminal/terminal.hpp"

#include "server/terminal/report_text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::terminal {
namespace {

TEST(FormatDuration, ChoosesTheUnitByLength) {
    EXPECT_EQ(format_duration(std::chrono::duration<double>(0.84)), "0.8 s");
    EXPECT_EQ(format_duration(std::chrono::duration<double>(42)), "42 s");
    EXPECT_EQ(format_duration(std::chrono::duration<double>(184)), "3 min 4 s");
    EXPECT_EQ(format_duration(std::chrono::duration<double>(7260)), "2 h 1 min");
}

TEST(FormatTable, AlignsColumnsByCharactersNotBytes) {
    EXPECT_EQ(format_table(Terminal(), {{"A", "B"}, {"üü", "x"}, {"longer", "y"}}),
              "A       B\nüü      x\nlonger  y");
}

TEST(ReportText, ShowsMembersTablesAndBarsOfAnyKind) {
    const auto report = nlohmann::json::parse(
        R"({"kind":"any","summary":{"model":"m","parts":{"a":1,"b":2},
            "bins":[{"from":-1.0,"to":0.0,"count":1},{"from":0.0,"to":1.0,"count":2}],
            "lengths":[{"from":0,"to":5,"count":1},{"from":5,"to":10,"count":2}],
            "best":[{"text":"one","value":0.5}]}})");
    const auto text = report_text(Terminal(), report);
    EXPECT_NE(text.find("model: m"), std::string::npos);
    EXPECT_NE(text.find("parts:  a 1  b 2"), std::string::npos);
    EXPECT_NE(text.find("-1.00 …  0.00  ████████████████████ 1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("     0 …     5  ████████████████████ 1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("one"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::terminal
