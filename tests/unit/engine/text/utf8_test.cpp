#include "engine/text/utf8.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::text {
namespace {

std::u32string decode_all(std::string_view text) {
    std::u32string out;
    for (std::size_t at = 0; at < text.size();) {
        const Decoded decoded = decode_utf8(text, at);
        out.push_back(decoded.code_point);
        at += decoded.length;
    }
    return out;
}

TEST(Utf8, EveryCodePointSurvivesTheRoundTrip) {
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        if (c >= 0xD800 && c <= 0xDFFF) continue;
        std::string bytes;
        append_utf8(bytes, c);
        const Decoded decoded = decode_utf8(bytes, 0);
        ASSERT_TRUE(decoded.valid) << std::hex << static_cast<std::uint32_t>(c);
        ASSERT_EQ(decoded.code_point, c);
        ASSERT_EQ(decoded.length, bytes.size());
        ASSERT_FALSE(find_invalid_utf8(bytes));
    }
}

TEST(Utf8, BrokenSequencesBecomeOneReplacementPerMaximalPrefix) {
    // Expected values are Python's bytes.decode("utf-8", "replace").
    EXPECT_EQ(decode_all("\x80"), U"\uFFFD");
    EXPECT_EQ(decode_all("\xC0\x80"), U"\uFFFD\uFFFD");
    EXPECT_EQ(decode_all("\xE2\x82"
                         "a"),
              U"\uFFFD"
              U"a");
    EXPECT_EQ(decode_all("\xED\xA0\x80"), U"\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(decode_all("\xF0\x9F\x98"), U"\uFFFD");
    EXPECT_EQ(decode_all("\xF4\x90\x80\x80"), U"\uFFFD\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(decode_all("\xF0\x9F\xC3\xA9"), U"\uFFFD\u00E9");
}

TEST(Utf8, FindsTheFirstBrokenByteAnywhere) {
    for (std::size_t lead = 0; lead < 40; ++lead) {
        const std::string text =
            std::string(lead, 'x') + "\xC3\xA9" + "\xFF" + std::string(20, 'y');
        EXPECT_EQ(find_invalid_utf8(text), lead + 2);
    }
    EXPECT_EQ(find_invalid_utf8("12345678\xE2\x82"), 8u);
    EXPECT_FALSE(find_invalid_utf8(""));
}

TEST(Utf8, PrefixNeverCutsACodePoint) {
    EXPECT_EQ(utf8_prefix("a\xE2\x82\xAC"
                          "b",
                          3),
              "a");
    EXPECT_EQ(utf8_prefix("a\xE2\x82\xAC"
                          "b",
                          4),
              "a\xE2\x82\xAC");
    EXPECT_EQ(utf8_prefix("abc", 10), "abc");
}

TEST(Utf8, AsciiCheckSeesEveryPosition) {
    for (std::size_t i = 0; i < 24; ++i) {
        std::string text(24, 'a');
        EXPECT_TRUE(is_ascii(text));
        text[i] = static_cast<char>(0xC3);
        EXPECT_FALSE(is_ascii(text));
    }
}

}  // namespace
}  // namespace plimsoll::text
