#include "engine/sentiment/vader/byte_masks.hpp"
#include "engine/sentiment/vader/data.hpp"
#include "engine/sentiment/vader/expand.hpp"
#include "engine/sentiment/vader/tokens.hpp"
#include "engine/sentiment/vader/vader.hpp"
#include "engine/sentiment/vader/valence.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <utf8proc.h>

namespace plimsoll::sentiment::vader {
namespace {

TEST(VaderWords, EveryListedWordIsFoundWithItsValenceAndNothingElseIs) {
    for (const LexiconWord& listed : lexicon_words()) {
        std::string padded(listed.word);
        padded.resize(WordTable::kLongestWord + padded.size());
        const Word* word = WordTable::instance().find(padded.data(), listed.word.size());
        ASSERT_NE(word, nullptr) << listed.word;
        EXPECT_TRUE(word->in_lexicon);
        EXPECT_EQ(word->valence, listed.valence);
    }
    // A zero byte is not padding: "ok" followed by one is another word.
    const std::string text = "ok";
    std::string padded = text + std::string(WordTable::kLongestWord, '\0');
    EXPECT_NE(WordTable::instance().find(padded.data(), 2), nullptr);
    EXPECT_EQ(WordTable::instance().find(padded.data(), 3), nullptr);
    EXPECT_EQ(WordTable::instance().find(padded.data(), WordTable::kLongestWord + 1), nullptr);
}

TEST(VaderWords, WordsOfTheRulesAreNotInTheLexicon) {
    const auto in_lexicon = [](std::string_view text) {
        std::string padded(text);
        padded.resize(text.size() + WordTable::kLongestWord);
        const Word* word = WordTable::instance().find(padded.data(), text.size());
        return word != nullptr && word->in_lexicon;
    };
    for (const std::string_view word : intensifiers()) EXPECT_FALSE(in_lexicon(word)) << word;
    for (const std::string_view word : dampeners()) EXPECT_FALSE(in_lexicon(word)) << word;
    for (const std::string_view word : negations()) EXPECT_FALSE(in_lexicon(word)) << word;
    EXPECT_FALSE(in_lexicon("least"));
    EXPECT_FALSE(in_lexicon("but"));
    EXPECT_EQ(intensifiers().size(), 60u);
    EXPECT_EQ(dampeners().size(), 21u);
    EXPECT_EQ(negations().size(), 59u);
}

TEST(VaderBytes, VectorAndPlainClassificationAgree) {
    std::mt19937 random(1);
    char text[kBlock], fast[kBlock], plain[kBlock];
    for (int round = 0; round < 2000; ++round) {
        for (char& byte : text) byte = static_cast<char>(random());
        const ByteMasks a = classify_block(text, fast);
        const ByteMasks b = classify_block_portably(text, plain);
        ASSERT_EQ(std::string_view(fast, kBlock), std::string_view(plain, kBlock));
        ASSERT_EQ(a.space, b.space);
        ASSERT_EQ(a.upper, b.upper);
        ASSERT_EQ(a.lower, b.lower);
        ASSERT_EQ(a.high, b.high);
        ASSERT_EQ(a.exclamation, b.exclamation);
        ASSERT_EQ(a.question, b.question);
        ASSERT_EQ(a.apostrophe, b.apostrophe);
    }
}

// The scorer lowers ASCII and the Kelvin sign only, because nothing else can become ASCII.
TEST(VaderUnicode, OnlyTheKelvinSignAndDottedILowerIntoAscii) {
    for (char32_t c = 0x80; c <= 0x10FFFF; ++c) {
        const auto lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(c));
        if (lower < 0x80)
            EXPECT_TRUE(c == 0x212A || c == 0x130) << std::hex << static_cast<unsigned>(c);
    }
    Scorer scorer;
    EXPECT_EQ(scorer.score("thanKs \u212Aisses").compound, scorer.score("thanKs Kisses").compound);
    EXPECT_NE(scorer.score("\u212Aisses").compound, 0);
    // Two code points, though four bytes: an emoticon's size, so the point stays and nothing is
    // known.
    EXPECT_EQ(scorer.score("o\u212A.").compound, 0);
    EXPECT_NE(scorer.score("o\u212A").compound, 0);
}

TEST(VaderUnicode, CaseFollowsTheDerivedProperties) {
    EXPECT_EQ(letter_case(U'É'), LetterCase::upper);
    EXPECT_EQ(letter_case(U'é'), LetterCase::lower_or_title);
    EXPECT_EQ(letter_case(0x2167), LetterCase::upper);          // Roman numeral eight
    EXPECT_EQ(letter_case(0x24B6), LetterCase::upper);          // circled A
    EXPECT_EQ(letter_case(0xAA), LetterCase::lower_or_title);   // feminine ordinal
    EXPECT_EQ(letter_case(0x1C5), LetterCase::lower_or_title);  // title-case Dz with caron
    EXPECT_EQ(letter_case(0x4E2D), LetterCase::none);           // a letter without case
    EXPECT_EQ(letter_case(0x1F600), LetterCase::none);
}

TEST(VaderExpand, DescriptionsGetABlankBeforeButNoneAfter) {
    const auto expanded = [](std::string_view text) {
        std::string out;
        expand(text, out);
        return out;
    };
    EXPECT_EQ(expanded("😀good"), "grinning facegood");
    EXPECT_EQ(expanded("good😀"), "good grinning face");
    EXPECT_EQ(expanded("good 😀😀"), "good grinning face grinning face");
    EXPECT_EQ(expanded("a\u00A0b"), "a b");
    EXPECT_EQ(expanded("a\u200Bb"), "a\u200Bb");  // zero width space does not split
    EXPECT_EQ(expanded("\xFFgood"), "\uFFFDgood");
}

TEST(VaderContrast, LongTextsGiveTheSameAsTheQuadraticDefinition) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        const std::size_t n = 257 + random() % 200;
        const std::uint32_t turn = static_cast<std::uint32_t>(random() % (n + 20));
        std::vector<Contribution> contributions;
        for (std::size_t i = 0; i < n; ++i) {
            const double value = 0.5 * (static_cast<int>(random() % 9) - 4);
            contributions.push_back({static_cast<std::uint32_t>(i), value});
        }
        std::vector<double> expected;
        for (const Contribution& c : contributions) expected.push_back(c.valence);
        for (std::size_t k = 0; k < n; ++k) {
            std::size_t first = 0;
            while (expected[first] != expected[k]) ++first;
            if (first < turn) expected[first] *= 0.5;
            if (first > turn) expected[first] *= 1.5;
        }
        apply_contrast(contributions, turn);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(contributions[i].valence, expected[i]);
    }
}

TEST(VaderRounding, EqualsPrintfIncludingTies) {
    const auto printed = [](double x, int digits) {
        char buffer[32];
        std::snprintf(buffer, sizeof buffer, "%.*f", digits, x);
        return std::strtod(buffer, nullptr);
    };
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> any(-1, 1);
    for (int i = 0; i < 200000; ++i) {
        const double x = any(random);
        ASSERT_EQ(round_decimal(x, 10000), printed(x, 4)) << x;
        ASSERT_EQ(round_decimal(x, 1000), printed(x, 3)) << x;
        // Next to a decimal tie, where the product may land on it by rounding.
        const double tie = (static_cast<double>(random() % 10000) + 0.5) / 10000;
        ASSERT_EQ(round_decimal(tie, 10000), printed(tie, 4)) << tie;
    }
    for (int i = 0; i <= 4096; ++i) {  // exact binary ties among them
        ASSERT_EQ(round_decimal(i / 4096.0, 1000), printed(i / 4096.0, 3));
        ASSERT_EQ(round_decimal(i / 4096.0, 10000), printed(i / 4096.0, 4));
    }
}

TEST(VaderScorer, TextsOfAnySizeAndContentAreScored) {
    Scorer scorer;
    EXPECT_EQ(scorer.score("").neu, 0);
    EXPECT_EQ(scorer.score(" \t\n").neu, 0);
    EXPECT_EQ(scorer.score("...").neu, 1);
    // Every length around block borders, with the telling word last.
    for (std::size_t n = 0; n < 200; ++n) {
        EXPECT_GT(scorer.score(std::string(n, ' ') + "good").compound, 0) << n;
        EXPECT_EQ(scorer.score(std::string(n + 1, 'x') + " good").pos, 0.744) << n;
    }
    std::string contrasts = "but ";
    for (int i = 0; i < 100000; ++i) contrasts += "good ";
    EXPECT_EQ(scorer.score(contrasts).compound, 1);
}

}  // namespace
}  // namespace plimsoll::sentiment::vader
