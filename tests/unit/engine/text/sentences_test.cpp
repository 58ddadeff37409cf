#include "engine/text/sentences.hpp"

#include <string>

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace plimsoll::text
