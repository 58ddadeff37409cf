#include "engine/text/sentences.hpp"
#include "engine/text/utf8.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::text {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Sentences, EndAfterMarksAndAtLineBreaks) {
    EXPECT_THAT(sentences_of("Profit rose. Shares fell! Why? (Nobody knows.) \"So what?\" he said"),
                ElementsAre("Profit rose.", " Shares fell!", " Why?", " (Nobody knows.)",
                            " \"So what?\"", " he said"));
    EXPECT_THAT(sentences_of("A title\n\n  the text… and more"),
                ElementsAre("A title", "\n\n  the text…", " and more"));
    EXPECT_THAT(sentences_of("利益。「増加！」株価？はい"),
                ElementsAre("利益。", "「増加！」", "株価？", "はい"));
}

TEST(Sentences, NumbersAndDottedNamesStayWhole) {
    EXPECT_THAT(sentences_of("It fell 3.5 % on plimsoll.example, v1.2"),
                ElementsAre("It fell 3.5 % on plimsoll.example, v1.2"));
}

TEST(Sentences, AreTheWholeText) {
    for (const std::string& text :
         {std::string(" . ."), std::string("\n"), std::string("a.\xff\xfe b.\xe3\x80"),
          std::string("\0.\0 x", 5), std::string("... ?! \n\r\n")}) {
        std::string joined;
        for (const auto sentence : sentences_of(text)) joined += sentence;
        EXPECT_EQ(joined, text);
        joined.clear();
        for (const auto word : words_of(text)) joined += word;
        EXPECT_EQ(joined, text);
    }
    EXPECT_THAT(sentences_of(""), IsEmpty());
    EXPECT_THAT(words_of(""), IsEmpty());
}

TEST(Words, IncludeTheWhiteSpaceBeforeThem) {
    EXPECT_THAT(words_of(" one\ttwo\u3000three "),
                ElementsAre(" one", "\ttwo", "\u3000three", " "));
}

TEST(Trimmed, LosesAllKindsOfWhiteSpace) {
    EXPECT_EQ(trimmed(" \t\u00a0a b\u3000\n"), "a b");
    EXPECT_EQ(trimmed(" \n"), "");
}

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
