// On PoCL. That the numbers are right is shown against float64 in tests/transformers.
#include "engine/opencl/probing/probe.hpp"
#include "engine/transformer/text_classifier.hpp"
#include "tests/unit/engine/models/tiny_model.hpp"
#include "tests/unit/engine/routines/on_device.hpp"

#include <gmock/gmock.h>

namespace plimsoll::transformer {
namespace {

using routines::need;
using routines::programs;
using ::testing::HasSubstr;

const auto* const kCache = testing::AddGlobalTestEnvironment(new opencl::PrivateCache);

struct Loaded {
    explicit Loaded(const TinyModel& tiny = {}, std::uint64_t memory = 64 << 20)
        : ledger(memory),
          capability(opencl::assess(programs().device())),
          plans(programs().device().info()) {
        tiny.write(folder.path());
        model.emplace(need(model_files::open_model(folder.path())));
    }
    Result<std::unique_ptr<Classifier>> load(std::size_t tokens = 128) {
        return Classifier::load(programs(), ledger, capability, plans, *model, tokens, {});
    }
    Result<std::unique_ptr<TextClassifier>> load_with_tokenizer() {
        return TextClassifier::load(folder.path(), programs(), ledger, capability, plans, {});
    }

    TemporaryFolder folder;
    opencl::Ledger ledger;
    opencl::Capability capability;
    tuning::Plans plans;
    std::optional<model_files::Model> model;
};

std::vector<std::uint32_t> sequence(unsigned seed, std::uint32_t length) {
    std::mt19937 bits(seed);
    std::vector<std::uint32_t> ids(length);
    for (auto& id : ids) id = bits() % 12;
    return ids;
}

TEST(Classifier, ASequencesBitsDoNotDependOnItsNeighbours) {
    Loaded loaded;
    const auto classifier = need(loaded.load(400));
    std::vector<std::vector<std::uint32_t>> sequences;
    for (unsigned i = 0; i < 20; ++i) sequences.push_back(sequence(i, 2 + i * 7 % 39));
    std::vector<std::vector<float>> alone;
    for (const auto& one : sequences) {
        Batch batch;
        batch.add(one);
        Scores scores;
        need(classifier->run(batch, {}, scores));
        alone.push_back(scores.logits);
    }
    std::mt19937 bits(7);
    for (int round = 0; round < 40; ++round) {
        std::vector<std::size_t> order(1 + bits() % sequences.size());
        for (auto& one : order) one = bits() % sequences.size();
        Batch batch;
        for (const auto one : order) {
            if (batch.ids.size() + sequences[one].size() <= 400) batch.add(sequences[one]);
        }
        Scores scores;
        need(classifier->run(batch, {}, scores));
        for (std::size_t i = 0; i < batch.lengths.size(); ++i) {
            const std::vector row(scores.logits.begin() + static_cast<std::ptrdiff_t>(3 * i),
                                  scores.logits.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
            EXPECT_EQ(row, alone[order[i]]);
        }
    }
}

TEST(Classifier, PlansOfProductsDoNotChangeBits) {
    Loaded loaded;
    Batch batch;
    for (unsigned i = 0; i < 9; ++i) batch.add(sequence(i, 13));
    const auto logits = [&](const routines::GemmPlan& plan) {
        for (const auto& [n, k] :
             {std::pair{96U, 32U}, {32U, 32U}, {64U, 32U}, {32U, 64U}, {3U, 32U}}) {
            for (const auto m : {1U, 33U, 65U, 129U, 1024U}) {
                loaded.plans.keep(tuning::bucket_of(plan.method, m, n, k), plan);
            }
        }
        Scores scores;
        need(need(loaded.load())->run(batch, {}, scores));
        return scores.logits;
    };
    const auto usual = logits({.rows = 8, .vectors = 3, .depth = 768});
    EXPECT_EQ(logits({.rows = 6, .vectors = 1, .depth = 32, .row_panels = 1}), usual);
    EXPECT_EQ(logits({.rows = 12, .vectors = 2, .depth = 64, .row_panels = 16}), usual);
    EXPECT_EQ(logits({.rows = 1, .vectors = 6, .depth = 32, .column_panels = 1}), usual);
}

TEST(Classifier, EntersWhatItPredictsAndGivesItBack) {
    Loaded loaded;
    const auto predicted =
        Classifier::predicted_bytes(loaded.capability, loaded.plans, loaded.model->config, 128);
    {
        const auto classifier = need(loaded.load(128));
        EXPECT_EQ(loaded.ledger.used(), predicted);
        EXPECT_EQ(classifier->held_bytes(), predicted);
    }
    EXPECT_EQ(loaded.ledger.used(), 0U);
    Loaded small({}, predicted - 1);
    EXPECT_EQ(small.load(128).error().code, Errc::exhausted);
    EXPECT_EQ(small.ledger.used(), 0U);
}

TEST(Classifier, RefusesWhatItHasNoPlaceFor) {
    Loaded loaded;
    const auto classifier = need(loaded.load(128));
    const auto why = [&](const Batch& batch) {
        Scores scores;
        return classifier->run(batch, {}, scores).error().message;
    };
    Batch batch;
    batch.add(sequence(1, 41));
    EXPECT_THAT(why(batch), HasSubstr("2 to 40 tokens"));
    batch.clear();
    for (unsigned i = 0; i < 4; ++i) batch.add(sequence(i, 40));
    EXPECT_THAT(why(batch), HasSubstr("at most 128 tokens"));
    batch.clear();
    batch.add(std::vector<std::uint32_t>{2, 12, 3});
    EXPECT_THAT(why(batch), HasSubstr("not in the vocabulary"));
    Scores scores;
    EXPECT_TRUE(classifier->run({}, {}, scores));
    EXPECT_TRUE(scores.logits.empty());
}

TEST(Classifier, StopsBetweenLayers) {
    Loaded loaded;
    const auto classifier = need(loaded.load());
    std::stop_source stop;
    stop.request_stop();
    Batch batch;
    batch.add(sequence(1, 10));
    Scores scores;
    EXPECT_EQ(classifier->run(batch, Watch{stop.get_token()}, scores).error().code,
              Errc::cancelled);
    need(classifier->run(batch, {}, scores));  // and goes on afterwards
    EXPECT_EQ(scores.logits.size(), 3U);
}

TEST(TextClassifier, TellsDuplicatesAndWhatWasCutOff) {
    Loaded loaded;
    const auto classifier = need(loaded.load_with_tokenizer());
    std::string long_text;
    for (int i = 0; i < 50; ++i) long_text += "good ";
    const std::vector<std::string> texts{"good news", "bad news", "GOOD  news", "", long_text};
    std::size_t finished = 0;
    for (const std::size_t most : {1U, 2U, 100U}) {
        std::size_t at = 0;
        std::string_view text;
        const auto next = [&]() -> Result<const std::string_view*> {
            if (at == texts.size()) return nullptr;
            text = texts[at++];
            return &text;
        };
        finished = 0;
        const auto found =
            need(classifier->classify(next, most, {}, [&](std::size_t more) { finished += more; }));
        ASSERT_EQ(found.size(), 5U);
        EXPECT_EQ(finished, 5U);
        EXPECT_EQ(found[0].tokens, 4U);
        EXPECT_FALSE(found[0].duplicate);
        EXPECT_TRUE(found[2].duplicate);
        EXPECT_EQ(found[2].logits, found[0].logits);
        EXPECT_NE(found[1].logits, found[0].logits);
        EXPECT_EQ(found[3].tokens, 2U);
        EXPECT_EQ(found[4].tokens, 52U);
        EXPECT_TRUE(found[4].truncated);
        for (const auto& one : found) {
            EXPECT_NEAR(one.probabilities[0] + one.probabilities[1] + one.probabilities[2], 1,
                        1e-6);
        }
    }
}

}  // namespace
}  // namespace plimsoll::transformer
