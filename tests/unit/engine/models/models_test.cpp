#include "engine/models/findings.hpp"
#include "engine/models/store.hpp"
#include "tests/unit/engine/models/tiny_model.hpp"
#include "tests/unit/engine/temporary_folder.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::models {
namespace {

Accuracy accuracy(const std::string& form, std::uint64_t right) {
    return {.form = form,
            .texts_of = "tweets.jsonl",
            .texts = 1000,
            .right = right,
            .low = 0.6,
            .high = 0.7,
            .macro_f1 = {},
            .device = "cpu",
            .measured_at = "2026-03-02T09:00:00Z"};
}

TEST(Accuracies, BelongToTheExactFilesAndReplaceEarlierOnes) {
    const TemporaryFolder folder;
    EXPECT_TRUE(read_accuracies(folder.path(), "a").empty());
    auto exact = accuracy("fp32", 655);
    exact.macro_f1 = 0.625;
    const auto narrow = accuracy("int8", 651);
    ASSERT_TRUE(keep_accuracies(folder.path(), "a", {exact, narrow}));
    EXPECT_EQ(read_accuracies(folder.path(), "a"), (std::vector{exact, narrow}));
    EXPECT_TRUE(read_accuracies(folder.path(), "b").empty());
    ASSERT_TRUE(keep_accuracies(folder.path(), "a", {narrow}));
    EXPECT_EQ(read_accuracies(folder.path(), "a"), std::vector{narrow});
    EXPECT_EQ(keep_accuracies(folder.path() / "gone", "a", {}).error().code, Errc::unavailable);
}

Proof proof(const std::string& form, const std::string& method) {
    return {.form = form,
            .method = method,
            .passed = form == "bf16",
            .why = form == "bf16" ? "" : "9 labels differ where fp32 has a clear margin",
            .texts = 512,
            .same_label = 503,
            .flips = 9,
            .difference_p99 = 0.01,
            .max_difference = 0.25,
            .outlier_columns = 3,
            .outlier_ratio = 77,
            .speedup = 2.25,
            .seconds_per_token = 0.000125,
            .device = "cpu",
            .proven_at = "2026-03-02T09:00:00Z"};
}

TEST(Proofs, AreStoredWithTheFilesOfTheirModel) {
    const TemporaryFolder folder;
    EXPECT_TRUE(read_proofs(folder.path(), "a").empty());
    const auto bf16 = proof("bf16", "block_bf16");
    const auto int8 = proof("int8", "block_int8");
    ASSERT_TRUE(keep_proofs(folder.path(), "a", {bf16, int8}));
    EXPECT_EQ(read_proofs(folder.path(), "a"), (std::vector{bf16, int8}));
    EXPECT_TRUE(read_proofs(folder.path(), "b").empty());  // of other files
}

TEST(Proofs, ReplaceOlderOnesOfTheirFormAndMethod) {
    const TemporaryFolder folder;
    auto again = proof("int8", "block_int8");
    const auto other = proof("int8", "block_int8_avx2");
    ASSERT_TRUE(keep_proofs(folder.path(), "a", {again, other}));
    again.speedup = 3;
    ASSERT_TRUE(keep_proofs(folder.path(), "a", {again}));
    EXPECT_EQ(read_proofs(folder.path(), "a"), (std::vector{other, again}));
}

TEST(Proofs, ThatCannotBeReadAreIgnored) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "forms.json") << R"({"version":2,"hash":"a","findings":[{}]})";
    EXPECT_TRUE(read_proofs(folder.path(), "a").empty());
    EXPECT_EQ(keep_proofs(folder.path() / "gone", "a", {}).error().code, Errc::unavailable);
}

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class StoreTest : public testing::Test {
  protected:
    Result<Manifest> add(const std::string& name, const TinyModel& model, bool replace = false) {
        const auto published = folder_.path() / "published";
        fs::remove_all(published);
        model.write(published);
        return store_.add(published, {.name = name, .source = "tests"}, replace, {});
    }
    // What lies in the store's folder beside whole models.
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(store_.folder()), fs::directory_iterator()));
    }

    TemporaryFolder folder_;
    Store store_{folder_.path() / "models"};
};

TEST_F(StoreTest, StoresAModelWithItsManifest) {
    const auto added = add("tiny", {});
    ASSERT_TRUE(added) << added.error().message;
    const auto found = store_.find("tiny");
    ASSERT_TRUE(found);
    EXPECT_EQ(to_text(*found), to_text(*added));
    EXPECT_EQ(found->family, "bert");
    EXPECT_EQ(found->source, "tests");
    EXPECT_EQ(found->longest_text, 40U);
    EXPECT_EQ(found->labels.size(), 3U);
    EXPECT_EQ(found->files.size(), 3U);
    EXPECT_EQ(found->hash.size(), 64U);
    EXPECT_EQ(store_.list().size(), 1U);
    EXPECT_TRUE(store_.verify("tiny", {}));
}

TEST_F(StoreTest, StoresPartsAndTokensBesideTheVocabulary) {
    const auto published = folder_.path() / "published";
    TinyModel model;
    model.words.pop_back();
    model.write_in_parts(published);
    const auto lacking = store_.add(published, {.name = "lacking"}, false, {});
    ASSERT_TRUE(lacking) << lacking.error().message;
    EXPECT_THAT(lacking->warning, HasSubstr("11 tokens, and config.json says 12"));
    std::ofstream(published / "added_tokens.json") << R"({"new": 11})";
    const auto added = store_.add(published, {.name = "tiny"}, false, {});
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_EQ(added->warning, "");
    EXPECT_EQ(added->files.size(), 6U);
    EXPECT_TRUE(store_.verify("tiny", {}));
}

TEST_F(StoreTest, TheHashIsThatOfTheFiles) {
    const auto one = add("one", {});
    const auto same = add("two", {});
    TinyModel other;
    other.tensors["classifier.bias"].second[0] += 1;
    const auto changed = add("three", other);
    EXPECT_EQ(one->hash, same->hash);
    EXPECT_NE(one->hash, changed->hash);
}

TEST_F(StoreTest, AModelIsReplacedOnlyWhenAsked) {
    ASSERT_TRUE(add("tiny", {}));
    EXPECT_EQ(add("tiny", {}).error().code, Errc::conflict);
    EXPECT_TRUE(add("tiny", {}, true));
    EXPECT_EQ(entries(), 1U);
}

TEST_F(StoreTest, UnusableModelsAreNotStored) {
    TinyModel bad;
    bad.tensors["bert.pooler.dense.weight"].second[5] = std::numeric_limits<float>::infinity();
    EXPECT_THAT(add("bad", bad).error().message,
                HasSubstr("\"bert.pooler.dense.weight\" contains a NaN"));
    bad = {};
    bad.words.emplace_back("toomany");
    EXPECT_THAT(add("bad", bad).error().message, HasSubstr("13 tokens"));
    bad = {};
    std::ranges::replace(bad.words, std::string("[UNK]"), std::string("none"));
    const auto refused = add("bad", bad);
    EXPECT_THAT(refused.error().message, HasSubstr("lacks the token \"[UNK]\""));
    EXPECT_THAT(refused.error().where, Not(HasSubstr(".new-"))) << "the copy is gone";
    EXPECT_THAT(add("../bad", {}).error().message, HasSubstr("1 to 64 characters"));
    EXPECT_EQ(entries(), 0U);
    EXPECT_EQ(store_.find("bad").error().code, Errc::not_found);
}

TEST_F(StoreTest, ChangedFilesAreDetected) {
    ASSERT_TRUE(add("tiny", {}));
    std::ofstream(store_.folder_of("tiny") / "vocab.txt", std::ios::app) << "more\n";
    const auto verified = store_.verify("tiny", {});
    ASSERT_FALSE(verified);
    EXPECT_THAT(verified.error().message,
                HasSubstr("vocab.txt has changed since it was installed"));
}

TEST_F(StoreTest, RemovedModelsAreDeleted) {
    ASSERT_TRUE(add("tiny", {}));
    EXPECT_TRUE(store_.remove("tiny"));
    EXPECT_EQ(entries(), 0U);
    EXPECT_EQ(store_.remove("tiny").error().code, Errc::not_found);
}

TEST_F(StoreTest, DamagedAndRenamedFoldersAreNotListed) {
    ASSERT_TRUE(add("tiny", {}));
    fs::copy(store_.folder_of("tiny"), store_.folder_of("copied"), fs::copy_options::recursive);
    fs::create_directories(store_.folder_of("empty"));
    std::ofstream(store_.folder_of("empty") / "plimsoll.json") << "{";
    ASSERT_EQ(store_.list().size(), 1U);
    EXPECT_EQ(store_.list()[0].name, "tiny");
}

TEST_F(StoreTest, AStopLeavesNothing) {
    std::stop_source stop;
    stop.request_stop();
    const auto published = folder_.path() / "published";
    TinyModel().write(published);
    const auto stopped = store_.add(published, {.name = "tiny"}, false, Watch{stop.get_token()});
    EXPECT_EQ(stopped.error().code, Errc::cancelled);
    EXPECT_EQ(entries(), 0U);
}

}  // namespace

}  // namespace plimsoll::models
