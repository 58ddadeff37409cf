// What `tests/fuzz/tokenizers` cannot show: files that are refused, and lengths. Equality with the
// published tokenizers is shown there.
#include "engine/tokenizers/tokenizer.hpp"

#include "tests/unit/engine/temporary_folder.hpp"

#include <fstream>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::tokenizers {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Files {
  public:
    Files& with(const std::string& name, const std::string& content) {
        std::ofstream(folder_->path() / name) << content;
        return *this;
    }
    Result<Tokenizer> read() const { return Tokenizer::read(folder_->path()); }
    std::string why() const {
        const auto tokenizer = read();
        return tokenizer ? "read" : tokenizer.error().message;
    }

  private:
    std::shared_ptr<TemporaryFolder> folder_ = std::make_shared<TemporaryFolder>();
};

constexpr const char* kWords =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ngood\n##ness\nnews\n!\n\xc3\xa9\n";

std::vector<std::uint32_t> ids(const Files& files, const std::string& text, std::size_t max = 512) {
    auto tokenizer = files.read();
    EXPECT_TRUE(tokenizer) << tokenizer.error().message;
    Encoded encoded;
    tokenizer->encode(text, max, encoded);
    return encoded.ids;
}

using Ids = std::vector<std::uint32_t>;

TEST(Tokenizer, ReadsWordsWithTheirRules) {
    const auto files = Files().with("vocab.txt", kWords);
    EXPECT_EQ(ids(files, "Goodness, GOOD news!"), (Ids{2, 5, 6, 1, 5, 7, 8, 3}));
    EXPECT_EQ(ids(files, ""), (Ids{2, 3}));
    EXPECT_EQ(ids(files, "good[SEP]news"), (Ids{2, 5, 3, 7, 3}));
    EXPECT_EQ(ids(files, "\xc3\xa9"), (Ids{2, 1, 3}));  // without its accent it is unknown
    const auto cased = Files()
                           .with("vocab.txt", kWords)
                           .with("tokenizer_config.json", R"({"do_lower_case": false})");
    EXPECT_EQ(ids(cased, "Good good \xc3\xa9"), (Ids{2, 1, 5, 9, 3}));
}

TEST(Tokenizer, FindsTokensAddedBesideTheVocabulary) {
    // As saved by the library `transformers`: what is no special token is found in normalized text.
    const auto beside =
        Files()
            .with("vocab.txt", kWords)
            .with("added_tokens.json", R"({"GoodNews": 10, "<URL>": 11})")
            .with("special_tokens_map.json", R"({"additional_special_tokens": ["<URL>"]})");
    EXPECT_EQ(ids(beside, "good goodnewsness GOODNEWS<URL>"), (Ids{2, 5, 10, 1, 10, 11, 3}));
    EXPECT_EQ(ids(beside, "<url>"), (Ids{2, 1, 1, 1, 3}));
    EXPECT_EQ(beside.read()->vocabulary(), 12U);
    const auto described = Files()
                               .with("vocab.txt", kWords)
                               .with("added_tokens.json", R"({"ignored": 99})")
                               .with("tokenizer_config.json", R"({"added_tokens_decoder": {
              "10": {"content": "Good", "single_word": true, "normalized": false},
              "4": {"content": "[MASK]", "lstrip": true}}})");
    EXPECT_EQ(ids(described, "Good Goodness good [MASK]"), (Ids{2, 10, 5, 6, 5, 4, 3}));
    EXPECT_EQ(described.read()->vocabulary(), 11U);
    EXPECT_EQ(ids(Files().with("vocab.txt", kWords).with("added_tokens.json", "{}"), "good"),
              (Ids{2, 5, 3}));
    EXPECT_THAT(Files().with("vocab.txt", kWords).with("added_tokens.json", R"({"a": "b"})").why(),
                HasSubstr("\"a\" has no ID"));
    EXPECT_THAT(
        Files()
            .with("vocab.txt", kWords)
            .with("tokenizer_config.json", R"({"added_tokens_decoder": {"x": {"content": "a"}}})")
            .why(),
        HasSubstr("\"a\" has no ID"));
}

TEST(Tokenizer, ReportsTruncation) {
    auto tokenizer = Files().with("vocab.txt", kWords).read();
    ASSERT_TRUE(tokenizer);
    Encoded encoded;
    tokenizer->encode("good news good news", 4, encoded);
    EXPECT_EQ(encoded.ids, (Ids{2, 5, 7, 3}));
    EXPECT_EQ(encoded.tokens, 6U);
    EXPECT_TRUE(encoded.truncated());
    tokenizer->encode("good news", 4, encoded);
    EXPECT_FALSE(encoded.truncated());
    EXPECT_EQ(tokenizer->vocabulary(), 10U);
}

TEST(Tokenizer, InvalidBytesCount) {
    const auto files = Files().with("vocab.txt", kWords);
    EXPECT_EQ(ids(files, "good\xff\xfenews"), ids(files, "goodnews"));
    EXPECT_EQ(ids(files, std::string("good\0news", 9)), ids(files, "goodnews"));
}

TEST(Tokenizer, MissingPartsAreNamed) {
    EXPECT_EQ(Files().read().error().code, Errc::not_found);
    EXPECT_THAT(Files().with("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n").why(),
                HasSubstr("\"[MASK]\" (mask_token)"));
    EXPECT_THAT(Files().with("vocab.txt", "").why(), HasSubstr("\"[UNK]\""));
    EXPECT_THAT(Files().with("vocab.txt", std::string(kWords) + "[SEP]\n").why(),
                HasSubstr("twice"));
    EXPECT_THAT(Files().with("vocab.json", "{\"a\": 0}").why(), HasSubstr("merges.txt"));
    EXPECT_THAT(Files().with("vocab.json", "[]").with("merges.txt", "").why(),
                HasSubstr("not a JSON object"));
    EXPECT_THAT(Files().with("vocab.json", R"({"a": -1})").with("merges.txt", "").why(),
                HasSubstr("\"a\" has no ID"));
    EXPECT_THAT(Files().with("vocab.json", R"({"a": 1})").with("merges.txt", "a\n").why(),
                HasSubstr("Merge 1 is not a pair"));
    EXPECT_THAT(Files()
                    .with("vocab.json",
                          R"({"a": 1, "<s>": 2, "</s>": 3, "<unk>": 4, "<pad>": 5, "<mask>": 6})")
                    .with("merges.txt", "")
                    .why(),
                HasSubstr("no token for the byte 0"));
}

json described() {
    return json::parse(R"({
      "model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "good": 3}},
      "normalizer": {"type": "BertNormalizer", "lowercase": true},
      "pre_tokenizer": {"type": "BertPreTokenizer"},
      "post_processor": {"type": "TemplateProcessing", "single": [
        {"SpecialToken": {"id": "[CLS]"}}, {"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "[SEP]"}}]},
      "added_tokens": [{"id": 2, "content": "[SEP]", "single_word": false, "normalized": false}]})");
}

TEST(Tokenizer, ReadsTheJoinedFile) {
    EXPECT_EQ(ids(Files().with("tokenizer.json", described().dump()), "Good[SEP]"),
              (Ids{1, 3, 2, 2}));
}

TEST(Tokenizer, NormalizersMayBeSequences) {
    const auto read = [](const char* steps, const std::string& text) {
        auto file = described();
        file["normalizer"] = {{"type", "Sequence"}, {"normalizers", json::parse(steps)}};
        file["model"]["vocab"]["\xc3\xa9"] = 4;
        return ids(Files().with("tokenizer.json", file.dump()), text);
    };
    const auto* const plain =
        R"([{"type": "NFD"}, {"type": "Lowercase"}, {"type": "StripAccents"}])";
    EXPECT_EQ(read(plain,
                   "Goo\xcc\x81"
                   "d"),
              (Ids{1, 3, 2}));
    EXPECT_EQ(read(R"([{"type": "Lowercase"}])", "GOOD \xc3\x89"), (Ids{1, 3, 4, 2}));
    EXPECT_EQ(read(R"([{"type": "BertNormalizer", "lowercase": false}])", "good Good"),
              (Ids{1, 3, 0, 2}));
}

TEST(Tokenizer, UnsupportedFeaturesAreNamedWithSupportedOnes) {
    const auto with = [](const std::string& pointer, const json& value) {
        auto file = described();
        file[json::json_pointer(pointer)] = value;
        return Files().with("tokenizer.json", file.dump()).why();
    };
    EXPECT_THAT(with("/model/type", "Unigram"),
                HasSubstr("\"Unigram\"; supported: WordPiece, BPE"));
    EXPECT_THAT(with("/normalizer", {{"type", "NFKC"}}),
                HasSubstr("\"NFKC\"; supported: BertNormalizer"));
    EXPECT_THAT(with("/pre_tokenizer", nullptr),
                HasSubstr("\"none\"; supported: BertPreTokenizer"));
    EXPECT_THAT(with("/post_processor/single", json::array()), HasSubstr("post_processor"));
    const auto steps = [&](const char* list) {
        return with("/normalizer", {{"type", "Sequence"}, {"normalizers", json::parse(list)}});
    };
    EXPECT_THAT(steps(R"([{"type": "NFKC"}])"), HasSubstr("\"NFKC\"; supported"));
    EXPECT_THAT(steps(R"([{"type": "StripAccents"}])"), HasSubstr("NFD followed by StripAccents"));
    EXPECT_THAT(steps(R"([{"type": "NFD"}])"), HasSubstr("NFD followed by StripAccents"));
    EXPECT_THAT(with("/model/vocab", "x"), HasSubstr("does not map tokens"));
    EXPECT_THAT(with("/model", json::object()), HasSubstr("missing or of the wrong type"));
    EXPECT_THAT(Files().with("tokenizer.json", "{").why(), HasSubstr("not a JSON object"));
    EXPECT_THAT(Files().with("tokenizer.json", std::string(1'000'000, '[')).why(),
                HasSubstr("not a JSON object"));
}

}  // namespace
}  // namespace plimsoll::tokenizers
