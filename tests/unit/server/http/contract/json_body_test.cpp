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
    EXPECT_EQ(detail(nested(limits::kJsonDepth + 1)),
              "The body is nested deeper than 64 levels at byte 64.");
    EXPECT_EQ(detail("\"" + std::string(100, '[') + "\\\"" + std::string(100, '[') + "\""), "ok");
}

TEST(ParseJson, SaysWhereItIsNoJson) {
    EXPECT_EQ(detail("{\"a\":}"),
              "The body is not JSON: parse error at line 1, column 6: syntax error while parsing "
              "value - unexpected '}'; expected '[', '{', or a literal.");
    EXPECT_LT(detail("\"" + std::string(100000, 'a')).size(), 300u);
    EXPECT_NE(detail("1e999"), "ok");
    EXPECT_NE(detail("\"\\ud800\""), "ok");
    EXPECT_NE(detail(""), "ok");
    EXPECT_NE(detail("{} {}"), "ok");
}

}  // namespace
}  // namespace plimsoll::http
