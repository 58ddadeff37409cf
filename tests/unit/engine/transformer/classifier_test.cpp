// On PoCL. That the numbers are right is shown against float64 in tests/transformers.
#include "engine/opencl/probing/probe.hpp"
#include "engine/transformer/text_classifier.hpp"
#include "tests/unit/engine/models/tiny_model.hpp"
#include "tests/unit/engine/routines/on_device.hpp"

#include <gmock/gmock.h>

namespace plimsoll::transformer {
namespace {

using routines::Form;
using routines::need;
using routines::programs;
using ::testing::HasSubstr;

const auto* const kCache = testing::AddGlobalTestEnvironment(new opencl::KernelCache);

// What instructions a device has is found by tests in a process of their own; here CPUID is asked.
opencl::Capability proven(opencl::Capability capability) {
    for (const auto feature : candidate_features(capability.info))
        capability.features.push_back({std::string(to_string(feature)), 0, 0, {}});
    return capability;
}

struct Loaded {
    explicit Loaded(const TinyModel& tiny = {}, std::uint64_t memory = 64 << 20)
        : ledger(memory),
          capability(proven(opencl::assess(programs().device()))),
          plans(programs().device().info()) {
        tiny.write(folder.path());
        model.emplace(need(model_files::open_model(folder.path())));
    }
    Result<std::unique_ptr<Classifier>> load(std::size_t tokens = 128, Form form = Form::fp32) {
        return load(tokens, method_for(capability, form));
    }
    Result<std::unique_ptr<Classifier>> load(std::size_t tokens, routines::Method method) {
        return Classifier::load(programs(), ledger, capability, plans, *model, method, tokens, {});
    }
    std::vector<Form> forms() const {
        std::vector<Form> usable;
        for (const auto form : {Form::fp32, Form::bf16, Form::int8})
            if (can_use(capability, form)) usable.push_back(form);
        return usable;
    }
    Result<std::unique_ptr<TextClassifier>> load_with_tokenizer() {
        return TextClassifier::load(folder.path(), programs(), ledger, capability, plans,
                                    method_for(capability, Form::fp32), {});
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

void expect_bits_to_be_those_of_a_sequence_alone(Loaded& loaded, Form form) {
    SCOPED_TRACE(to_string(form));
    const auto classifier = need(loaded.load(400, form));
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
        for (const auto one : order)
            if (batch.ids.size() + sequences[one].size() <= 400) batch.add(sequences[one]);
        Scores scores;
        need(classifier->run(batch, {}, scores));
        for (std::size_t i = 0; i < batch.lengths.size(); ++i) {
            const std::vector row(scores.logits.begin() + static_cast<std::ptrdiff_t>(3 * i),
                                  scores.logits.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
            EXPECT_EQ(row, alone[order[i]]);
        }
    }
}

TEST(Classifier, ASequencesBitsDoNotDependOnItsNeighbours) {
    Loaded loaded;
    for (const auto form : loaded.forms())
        expect_bits_to_be_those_of_a_sequence_alone(loaded, form);
}

void expect_bits_not_to_depend_on_plans(Form form) {
    SCOPED_TRACE(to_string(form));
    Loaded loaded;
    const auto method = method_for(loaded.capability, form);
    Batch batch;
    for (unsigned i = 0; i < 9; ++i) batch.add(sequence(i, 13));
    const auto logits = [&](routines::GemmPlan plan) {
        plan.method = method;
        if (method == routines::Method::block_amx) plan.rows = 32, plan.vectors = 2;
        for (const auto& [n, k] :
             {std::pair{96U, 32U}, {32U, 32U}, {64U, 32U}, {32U, 64U}, {3U, 32U}}) {
            for (const auto m : {1U, 33U, 65U, 129U, 1024U})
                loaded.plans.keep(tuning::bucket_of(plan.method, m, n, k), plan);
        }
        Scores scores;
        need(need(loaded.load(128, form))->run(batch, {}, scores));
        return scores.logits;
    };
    const auto usual = logits({.rows = 8, .vectors = 3, .depth = 768});
    EXPECT_EQ(logits({.rows = 6, .vectors = 1, .depth = 32, .row_panels = 1}), usual);
    EXPECT_EQ(logits({.rows = 12, .vectors = 2, .depth = 64, .row_panels = 16}), usual);
    EXPECT_EQ(logits({.rows = 1, .vectors = 6, .depth = 32, .column_panels = 1}), usual);
}

TEST(Classifier, PlansOfProductsDoNotChangeBits) {
    for (const auto form : Loaded().forms()) expect_bits_not_to_depend_on_plans(form);
}

// Both instructions for bytes form the same sums.
TEST(Classifier, Int8HasTheSameBitsOnEveryProcessor) {
    Loaded loaded;
    if (methods_for(loaded.capability, Form::int8).size() < 2)
        GTEST_SKIP() << "of processors with AVX512-VNNI";
    Batch batch;
    for (unsigned i = 0; i < 9; ++i) batch.add(sequence(i, 13));
    Scores by_vnni;
    need(need(loaded.load(128, routines::Method::block_int8))->run(batch, {}, by_vnni));
    Scores by_avx2;
    need(need(loaded.load(128, routines::Method::block_int8_avx2))->run(batch, {}, by_avx2));
    EXPECT_EQ(by_vnni.logits, by_avx2.logits);
}

TEST(Classifier, FormsGiveNearlyTheSameScores) {
    Loaded loaded;
    Batch batch;
    for (unsigned i = 0; i < 9; ++i) batch.add(sequence(i, 13));
    Scores exact;
    need(need(loaded.load())->run(batch, {}, exact));
    for (const auto form : loaded.forms()) {
        if (form == Form::fp32) continue;
        SCOPED_TRACE(to_string(form));
        Scores near;
        need(need(loaded.load(128, form))->run(batch, {}, near));
        EXPECT_NE(near.logits, exact.logits);
        for (std::size_t i = 0; i < exact.probabilities.size(); ++i) {
            EXPECT_NEAR(near.probabilities[i], exact.probabilities[i],
                        form == Form::bf16 ? 0.01 : 0.05);
        }
    }
}

TEST(Classifier, RefusesAFormThatTheDeviceDoesNotHave) {
    Loaded loaded;
    loaded.capability.features.clear();
    for (const auto method : {routines::Method::block_bf16, routines::Method::block_amx,
                              routines::Method::block_int8, routines::Method::block_int8_avx2}) {
        EXPECT_EQ(loaded.load(128, method).error().code, Errc::unavailable);
    }
}

TEST(Classifier, RecordsItsPredictedMemoryAndReturnsIt) {
    Loaded loaded;
    const auto predicted = [&](Form form) {
        return Classifier::predicted_bytes(loaded.capability, loaded.plans, loaded.model->config,
                                           method_for(loaded.capability, form), 128);
    };
    for (const auto form : loaded.forms()) {
        {
            const auto classifier = need(loaded.load(128, form));
            EXPECT_EQ(loaded.ledger.used(), predicted(form));
            EXPECT_EQ(classifier->held_bytes(), predicted(form));
        }
        EXPECT_EQ(loaded.ledger.used(), 0U);
    }
    Loaded small({}, predicted(Form::fp32) - 1);
    EXPECT_EQ(small.load(128).error().code, Errc::exhausted);
    EXPECT_EQ(small.ledger.used(), 0U);
}

TEST(Classifier, RefusesInputBeyondItsCapacity) {
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

TEST(TextClassifier, ReportsDuplicatesAndTruncation) {
    Loaded loaded;
    const auto classifier = need(loaded.load_with_tokenizer());
    std::string long_text;
    for (int i = 0; i < 50; ++i) long_text += "good ";
    const std::vector<std::string> texts{"good news", "bad news", "GOOD  news", "", long_text};
    std::size_t finished = 0;
    for (const std::size_t max : {1U, 2U, 100U}) {
        std::size_t at = 0;
        std::string_view text;
        const auto next = [&]() -> Result<const std::string_view*> {
            if (at == texts.size()) return nullptr;
            text = texts[at++];
            return &text;
        };
        finished = 0;
        const auto found = need(classifier->classify(
            next, max, {}, [&](std::size_t more, std::size_t) { finished += more; }));
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

// A part of a shared classification, with its texts.
struct Sharer {
    std::vector<std::string> texts;
    std::size_t finished = 0;
    std::size_t tokens = 0;
    std::size_t at = 0;
    std::string_view text = {};
    std::size_t broken_at = 1000;  // the text that cannot be read

    TextClassifier::Part part(std::stop_token stop = {}) {
        return {.next = [this]() -> Result<const std::string_view*> {
                    if (at == broken_at) return fail(Errc::corrupt, "Unreadable.");
                    if (at == texts.size()) return nullptr;
                    text = texts[at++];
                    return &text;
                },
                .done =
                    [this](std::size_t more, std::size_t read) {
                        finished += more;
                        tokens += read;
                    },
                .stop = std::move(stop)};
    }
};

TEST(TextClassifier, PartsThatShareBatchesGetWhatTheyWouldGetAlone) {
    Loaded loaded;
    const auto classifier = need(loaded.load_with_tokenizer());
    const std::vector<std::vector<std::string>> given{{"good news", "bad news", "good news"},
                                                      {"good news", "a good and strong quarter"},
                                                      {},
                                                      {"weak"}};
    for (const std::size_t max : {1U, 2U, 3U, 100U}) {
        std::vector<Sharer> sharers(given.size());
        std::vector<TextClassifier::Part> parts;
        for (std::size_t i = 0; i < given.size(); ++i) {
            sharers[i].texts = given[i];
            parts.push_back(sharers[i].part());
        }
        need(classifier->classify(parts, max, {}));
        for (std::size_t i = 0; i < given.size(); ++i) {
            Sharer alone{.texts = given[i]};
            auto part = alone.part();
            const auto expected = need(classifier->classify(part.next, max, {}, part.done));
            ASSERT_TRUE(parts[i].classified);
            ASSERT_EQ(parts[i].classified->size(), expected.size());
            EXPECT_EQ(sharers[i].finished, given[i].size());
            EXPECT_EQ(sharers[i].tokens, parts[i].tokens);
            for (std::size_t t = 0; t < expected.size(); ++t) {
                EXPECT_EQ((*parts[i].classified)[t].logits, expected[t].logits);
                EXPECT_EQ((*parts[i].classified)[t].duplicate, expected[t].duplicate);
            }
        }
        EXPECT_EQ(parts[0].tokens, 8U) << "its third text is its first";
        EXPECT_FALSE((*parts[1].classified)[0].duplicate) << "another part has it, too";
        EXPECT_EQ(parts[2].tokens, 0U);
    }
}

TEST(TextClassifier, AnErrorOrAStopOfAPartIsItsOwn) {
    Loaded loaded;
    const auto classifier = need(loaded.load_with_tokenizer());
    const std::vector<std::string> texts{"good news", "bad news", "weak"};
    std::stop_source stop;
    std::vector<Sharer> sharers(4);
    for (auto& sharer : sharers) sharer.texts = texts;
    sharers[1].broken_at = 2;
    std::vector<TextClassifier::Part> parts;
    for (auto& sharer : sharers) parts.push_back(sharer.part());
    parts[2].stop = stop.get_token();
    parts[2].done = [&](std::size_t, std::size_t) {
        stop.request_stop();
    };  // in the midst of its texts
    need(classifier->classify(parts, 1, {}));
    EXPECT_EQ(parts[1].classified.error().code, Errc::corrupt);
    EXPECT_EQ(parts[1].tokens, 0U);
    EXPECT_EQ(parts[2].classified.error().code, Errc::cancelled);
    ASSERT_TRUE(parts[0].classified);
    ASSERT_TRUE(parts[3].classified);
    EXPECT_EQ(sharers[3].finished, 3U);
    for (std::size_t t = 0; t < texts.size(); ++t)
        EXPECT_EQ((*parts[0].classified)[t].logits, (*parts[3].classified)[t].logits);
    // That of the last part, while texts before it wait for a batch.
    std::stop_source last;
    last.request_stop();
    Sharer first{.texts = texts};
    Sharer second{.texts = texts};
    std::vector<TextClassifier::Part> two{first.part(), second.part(last.get_token())};
    need(classifier->classify(two, 100, {}));
    EXPECT_EQ(first.finished, 3U);
    EXPECT_EQ(two[1].classified.error().code, Errc::cancelled);
}

}  // namespace
}  // namespace plimsoll::transformer
