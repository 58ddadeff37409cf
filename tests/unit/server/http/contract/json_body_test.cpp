#include "server/http/contract/json_body.hpp"

#include "server/http/messages/limits.hpp"

#include <gtest/gtest.h>

namespace plimsoll::http {
namespace {

std::string detail(std::string_view text) {
    const auto parsed = parse_json(text);
    return parsed ? "ok" : parsed.error().detail;
}

TEST(InvalidUtf8, FindsTheFirstBadByte) {
    EXPECT_EQ(invalid_utf8("aé€😀"), std::nullopt);
    EXPECT_EQ(invalid_utf8("ab\xff"), 2u);
    EXPECT_EQ(invalid_utf8("a\x80"), 1u);             // continuation without a lead
    EXPECT_EQ(invalid_utf8("\xc0\xaf"), 0u);          // overlong
    EXPECT_EQ(invalid_utf8("\xe0\x80\xaf"), 0u);      // overlong
    EXPECT_EQ(invalid_utf8("\xed\xa0\x80"), 0u);      // surrogate
    EXPECT_EQ(invalid_utf8("\xf4\x90\x80\x80"), 0u);  // above U+10FFFF
    EXPECT_EQ(invalid_utf8("a\xe2\x82"), 1u);         // cut off
    EXPECT_EQ(invalid_utf8("\xf4\x8f\xbf\xbf"), std::nullopt);
}

TEST(ParseJson, BoundsTheDepth) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    EXPECT_EQ(detail(nested(limits::kJsonDepth)), "ok");
    EXPECT_EQ(detail(nested(limits::kJsonDepth + 1)), "The body is nested deeper than 64 levels.");
    EXPECT_EQ(detail("\"" + std::string(100, '[') + "\\\"" + std::string(100, '[') + "\""), "ok");
}

TEST(ParseJson, ReportsThePositionOfInvalidJson) {
    EXPECT_EQ(detail("{\"a\":}"),
              "The body is not JSON: parse error at line 1, column 6: syntax error while parsing "
              "value - unexpected '}'; expected '[', '{', or a literal.");
    EXPECT_LT(detail("\"" + std::string(100000, 'a')).size(), 300u);
    EXPECT_NE(detail("1e999"), "ok");
    EXPECT_NE(detail("\"\\ud800\""), "ok");
    EXPECT_NE(detail(""), "ok");
    EXPECT_NE(detail("{} {}"), "ok");
}

TEST(ParseJson, RefusesAmbiguousAndUnstorableJson) {
    EXPECT_EQ(detail(R"({"kind": 1, "args": {"kind": 2}, "kind": 3})"),
              "The body has the member /kind twice.");
    EXPECT_EQ(detail(R"([1, {"a": [{"b/": 1, "b/": 1}]}])"),
              "The body has the member /1/a/0/b~1 twice.");
    const std::string name(9000, 'a');
    EXPECT_LT(detail("{\"" + name + "\":1,\"" + name + "\":1}").size(), 300u);
    EXPECT_EQ(detail(R"({"a": [{"b\u0000": 1}]})"),
              "The name of a member of /a/0 contains U+0000.");
    EXPECT_EQ(detail(R"({"a": 1, "\u0000": 1})"),
              "The name of a member of the body contains U+0000.");
}

TEST(ParseJson, EqualsTheLibrarysResult) {
    for (const std::string text :
         {R"({"a": [1, -2, 3.5, 18446744073709551615, true, null, "x", {}], "b": {"c": []}})",
          "[[], [[1], {}], \"\"]", "7", "\"text\"",
          "[1, [2, [3]], {\"a\": {\"b\": 1}, \"c\": 2}, 4]"}) {
        EXPECT_EQ(*parse_json(text), nlohmann::json::parse(text));
    }
}

TEST(ParsedSize, IsAnUpperEstimate) {
    EXPECT_GE(parsed_size("[1,2,3]"), 3 * 16u);
    std::string empty_texts = "[\"\"";
    for (int i = 1; i < 1000; ++i) empty_texts += ",\"\"";
    EXPECT_GE(parsed_size(empty_texts), 1000 * 64u);
    const std::string one_text = '"' + std::string(100000, 'a') + '"';
    EXPECT_LT(parsed_size(one_text), one_text.size() + 1000);
}

}  // namespace
}  // namespace plimsoll::http
