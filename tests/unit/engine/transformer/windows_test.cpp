#include "engine/transformer/windows.hpp"

#include "tests/unit/engine/models/tiny_model.hpp"
#include "tests/unit/engine/temporary_folder.hpp"

#include <random>
#include <string>

#include <gmock/gmock.h>

namespace plimsoll::transformer {
namespace {

using ::testing::ElementsAre;

class Windows : public testing::Test {
  protected:
    Windows() {
        TinyModel().write(folder_.path());
        auto read = tokenizers::Tokenizer::read(folder_.path());
        if (!read) throw std::runtime_error(read.error().message);
        tokenizer_.emplace(std::move(*read));
    }
    // With room for `own` tokens of the text.
    std::vector<std::string_view> windows(std::string_view text, std::size_t own) {
        return windows_of(text, own + 2, *tokenizer_);
    }

    TemporaryFolder folder_;
    std::optional<tokenizers::Tokenizer> tokenizer_;
};

TEST_F(Windows, HoldAsManySentencesAsFit) {
    EXPECT_THAT(windows("Good news. Bad news.\nGood. Bad news for every.", 6),
                ElementsAre("Good news. Bad news.", "Good.", "Bad news for every."));
    EXPECT_THAT(windows("Good. Bad.", 4), ElementsAre("Good. Bad."));
}

TEST_F(Windows, DivideALongSentenceBetweenWordsAndALongWordAnywhere) {
    EXPECT_THAT(windows("good bad news for every good. Bad.", 4),
                ElementsAre("good bad news for", "every good.", "Bad."));
    EXPECT_THAT(windows("every good.bad.news.for bad", 3),
                ElementsAre("every good.", "bad.news", ".for bad"));
}

// Words of these scripts have no white space between them.
TEST_F(Windows, AreFullWithoutSentencesAndWords) {
    EXPECT_THAT(windows("好好好好好好好好好好 good", 4),
                ElementsAre("好好好好", "好好好好", "好好 good"));
    EXPECT_THAT(windows("good 好好好好好好", 4), ElementsAre("good 好好好", "好好好"));
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "好";
    const auto all = windows(text, 510);
    ASSERT_EQ(all.size(), 6U);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_EQ(all[i].size(), 3U * 510);
}

TEST_F(Windows, WhiteSpaceIsOneEmptyWindow) {
    EXPECT_THAT(windows("", 3), ElementsAre(""));
    EXPECT_THAT(windows(" \n\n ", 3), ElementsAre(""));
}

// Nothing is lost, nothing comes twice, nothing is too long.
TEST_F(Windows, AreTheWholeTextInOrder) {
    std::mt19937 bits(5);
    const std::vector<std::string> pieces{"good",     " ", "bad. ", "news", "\n",
                                          "everyone", "…", "。",    "é",    "!) "};
    for (int round = 0; round < 500; ++round) {
        std::string text;
        for (auto left = bits() % 80; left > 0; --left) text += pieces[bits() % pieces.size()];
        const auto own = 1 + bits() % 12;
        std::size_t end = 0;
        tokenizers::Encoded encoded;
        for (const auto window : windows(text, own)) {
            if (window.empty()) continue;
            const auto at = static_cast<std::size_t>(window.data() - text.data());
            ASSERT_GE(at, end);
            EXPECT_EQ(text.find_first_not_of(" \n", end) < at, false) << text;
            end = at + window.size();
            tokenizer_->encode(window, own + 2, encoded);
            EXPECT_FALSE(encoded.truncated()) << window << " of " << text;
        }
        EXPECT_EQ(text.find_first_not_of(" \n", end), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace plimsoll::transformer
