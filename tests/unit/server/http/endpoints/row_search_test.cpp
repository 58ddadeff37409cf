#include "server/http/endpoints/results/row_search.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {
namespace {

constexpr std::array kRowColumns = {jobs::Column{"index"}, jobs::Column{"custom_id", true},
                                    jobs::Column{"text", true}, jobs::Column{"label"}};

std::string row(const std::string& text, const std::string& id = "a") {
    return nlohmann::json{{"custom_id", id}, {"label", "positive"}, {"text", text}}.dump() + '\n';
}

std::string found(std::string_view text, std::string_view rows) {
    return RowSearch({.contains = std::string(text)}, kRowColumns).matching(rows).value();
}

std::string labelled(const std::string& label, std::string_view rows,
                     const std::string& text = "") {
    return RowSearch({.contains = text, .label = label}, kRowColumns).matching(rows).value();
}

TEST(RowSearch, FindsRowsByTheColumnsThatAreSearched) {
    const std::string rows = row("Profit warning") + row("calm") + row("no PROFIT", "b") +
                             row("", "profit-3") + row("the end");
    EXPECT_EQ(found("profit", rows),
              row("Profit warning") + row("no PROFIT", "b") + row("", "profit-3"));
    EXPECT_EQ(found("PROFIT W", rows), row("Profit warning"));
    EXPECT_EQ(found("end", rows), row("the end"));
    // Neither names nor values of other columns.
    for (const std::string text : {"label", "positive", "custom_id", "\":\""})
        EXPECT_EQ(found(text, rows), "") << text;
}

TEST(RowSearch, ARowIsFoundOnce) {
    const std::string rows = row("aaa aaa", "aaa");
    EXPECT_EQ(found("a", rows + rows), rows + rows);
}

TEST(RowSearch, FindsWhatJsonEscapesInEveryOfItsForms) {
    const std::string rows =
        "{\"text\":\"say \\\"go\\\" now\"}\n"
        "{\"text\":\"a\\u000ab\"}\n"
        "{\"text\":\"a\\nb\"}\n"
        "{\"text\":\"back\\\\slash\"}\n"
        "{\"text\":\"plain\"}\n";
    EXPECT_EQ(found("\"go\" n", rows), rows.substr(0, rows.find('\n') + 1));
    EXPECT_EQ(found("a\nb", rows), "{\"text\":\"a\\u000ab\"}\n{\"text\":\"a\\nb\"}\n");
    EXPECT_EQ(found("\\", rows), "{\"text\":\"back\\\\slash\"}\n");
    EXPECT_EQ(found("\n", rows), "{\"text\":\"a\\u000ab\"}\n{\"text\":\"a\\nb\"}\n");
}

TEST(RowSearch, OtherCharactersMatchExactly) {
    const std::string rows = row("größer 好") + row("GRÖSSER");
    EXPECT_EQ(found("GRö", rows), row("größer 好"));
    EXPECT_EQ(found("好", rows), row("größer 好"));
}

TEST(RowSearch, FindsRowsByTheirLabel) {
    const auto one = [](const char* label, const std::string& text) {
        return nlohmann::json{{"error", nullptr}, {"label", label}, {"text", text}}.dump() + '\n';
    };
    // Values of other columns are no labels, whatever they say.
    const auto plain = one("neutral", "\"positive\"");
    const auto kept = "{\"kept\":{\"label\":\"positive\"},\"label\":\"neutral\",\"text\":\"b\"}\n";
    const auto failed = "{\"error\":\"The text is too long.\",\"label\":null,\"text\":\"c\"}\n";
    const auto rows = plain + one("positive", "fine") + kept + failed + one("positive", "so so");
    EXPECT_EQ(labelled("positive", rows), one("positive", "fine") + one("positive", "so so"));
    EXPECT_EQ(labelled("neutral", rows), plain + kept);
    EXPECT_EQ(labelled("negative", rows), "");
    EXPECT_EQ(labelled("failed", rows), failed);
    EXPECT_EQ(labelled("positive", rows, "SO"), one("positive", "so so"));
    EXPECT_EQ(labelled("failed", rows, "c"), failed);
    EXPECT_EQ(labelled("failed", rows, "fine"), "");
    EXPECT_EQ(labelled("positive", rows, "\""), "");
    EXPECT_EQ(labelled("neutral", rows, "\""), plain);
}

TEST(RowSearch, ARowThatIsNoObjectIsCorrupt) {
    EXPECT_EQ(RowSearch({.contains = "a"}, kRowColumns).matching("[\"a\"]\n").error().code,
              Errc::corrupt);
    EXPECT_EQ(RowSearch({.contains = "a"}, kRowColumns).matching("{\"text\":\"a\n").error().code,
              Errc::corrupt);
}

}  // namespace
}  // namespace plimsoll::http::endpoints
