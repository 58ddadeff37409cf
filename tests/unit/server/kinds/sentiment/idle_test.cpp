// What a worker does for later tasks while it has none.
#include "engine/tuning/tune.hpp"
#include "tests/unit/server/kinds/sentiment/on_device.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace plimsoll::jobs::sentiment {
namespace {

std::vector<tuning::Bucket> products_of_tiny() {
    auto buckets = tuning::products_of_layers(routines::Method::block_fp32, 32, 64);
    const auto more = tuning::products_of_layers(routines::Method::block_int8_avx2, 32, 64);
    buckets.insert(buckets.end(), more.begin(), more.end());
    return buckets;
}

// What the device thread calls while there are no tasks.
class WhileIdle : public SentimentOnDevice {
  protected:
    WhileIdle() : plans_file_(tuning::plans_file(settings_.cache, capability_.info.address)) {}

    // As if it had been done, except for some.
    void tune_everything_but(const std::vector<tuning::Bucket>& left) const {
        std::filesystem::create_directories(settings_.cache);
        tuning::Plans plans(capability_.info);
        for (const auto& bucket : products_of_tiny()) {
            if (std::ranges::find(left, bucket) != left.end()) continue;
            plans.keep(bucket, plans.plan_for(bucket));
        }
        if (!plans.write(plans_file_)) throw std::runtime_error("no plans");
    }
    void tune_everything() const { tune_everything_but({}); }

    std::filesystem::path plans_file_;
};

class ProvesWhileIdle : public WhileIdle {
  protected:
    ProvesWhileIdle() { capability_.features = {{"avx2", 0, 0, {}}}; }

    bool prepare() {
        Progress progress;
        RunContext context{.device = &*device_,
                           .progress = progress,
                           .stop = stop_.get_token(),
                           .capability = &capability_,
                           .ledger = &ledger_,
                           .settings = settings_};
        const auto trading = parse_rfc3339("2026-03-02T15:00:00Z").value();
        const bool used = run().prepare(context, trading).worked;
        EXPECT_EQ(used, progress.beats() > 0) << "signs of life";
        return used;
    }
    std::vector<models::Proof> proofs() const { return store_.find("tiny").value().proofs; }
};

TEST_F(ProvesWhileIdle, EveryFormOnce) {
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "of processors with AVX2";
    tune_everything();
    ASSERT_TRUE(prepare());
    EXPECT_TRUE(proofs().empty()) << "fp32 first: each step is short";
    ASSERT_TRUE(prepare());
    ASSERT_EQ(proofs().size(), 1U);
    EXPECT_EQ(proofs()[0].form, "int8");
    EXPECT_EQ(proofs()[0].method, "block_int8_avx2");
    EXPECT_GT(proofs()[0].texts, 100U);
    EXPECT_FALSE(proofs()[0].proven_at.empty());
    EXPECT_FALSE(prepare());
    EXPECT_EQ(ledger_.used(), 0U);
    // Other files have to be proven again.
    TinyModel other;
    other.tensors = TinyModel::random_tensors(2);
    other.write(folder_.path() / "other");
    ASSERT_TRUE(store_.add(folder_.path() / "other", {.name = "tiny"}, true, {}));
    EXPECT_TRUE(prepare());
}

TEST_F(ProvesWhileIdle, OneMethodPerStep) {
    if (!__builtin_cpu_supports("avx512vnni")) GTEST_SKIP() << "of processors with AVX512-VNNI";
    capability_.features.push_back({"avx512_vnni", 0, 0, {}});
    for (const auto proven : {0U, 1U}) {
        ASSERT_TRUE(prepare());
        EXPECT_EQ(proofs().size(), proven);
        // A task that comes costs one step.
        stop_.request_stop();
        ASSERT_TRUE(prepare());
        stop_ = {};
        EXPECT_EQ(proofs().size(), proven);
    }
    ASSERT_TRUE(prepare());
    EXPECT_EQ(proofs().size(), 2U);
}

TEST_F(ProvesWhileIdle, AgainWhereItWasStoppedButNotWhereItBrokeTheWorker) {
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "of processors with AVX2";
    tune_everything();
    stop_.request_stop();
    EXPECT_TRUE(prepare());
    EXPECT_TRUE(proofs().empty());
    stop_ = {};
    const auto mark = store_.folder_of("tiny") / ("proving-" + to_string(capability_.info.address));
    std::ofstream(mark) << "of a worker that is gone";
    EXPECT_FALSE(prepare());
    std::filesystem::last_write_time(
        mark, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
    EXPECT_TRUE(prepare());
    EXPECT_FALSE(std::filesystem::exists(mark));
    EXPECT_TRUE(prepare());
    EXPECT_EQ(proofs().size(), 1U);
    EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(ProvesWhileIdle, ThenTheProductsOfProvenFormsAreTunedOnce) {
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "of processors with AVX2";
    const auto before = score(plan({{"texts", {"good news"}}})).value();
    ASSERT_TRUE(models::keep_proofs(store_.folder_of("tiny"), store_.find("tiny")->hash,
                                    {passed(routines::Form::int8, capability_)}));
    // Of each form one product: the kernels of a plan take a second to compile.
    const auto all = products_of_tiny();
    tune_everything_but({all[7], all[15]});
    ASSERT_TRUE(prepare());
    while (prepare()) continue;  // on a slow machine, for 20 s each
    tuning::Plans plans(capability_.info);
    ASSERT_TRUE(plans.read(plans_file_));
    for (const auto& bucket : products_of_tiny()) EXPECT_TRUE(plans.has(bucket));
    EXPECT_FALSE(prepare());
    static_cast<void>(run().release(&*device_));
    EXPECT_EQ(rows_of(score(plan({{"texts", {"good news"}}})).value()), rows_of(before));
    EXPECT_FALSE(prepare());
}

// The guide's adaptive policy: "tiny" while the market trades, from 9:00 UTC on that Monday.
class SentimentBeforeTheOpen : public WhileIdle {
  protected:
    SentimentBeforeTheOpen() {
        tune_everything();
        settings_.values["sentiment.adaptive"] = "1";
        settings_.values["sentiment.model_open"] = "tiny";
    }
    bool prepare(const std::string& time) {
        Progress progress;
        RunContext context{.device = &*device_,
                           .progress = progress,
                           .stop = stop_.get_token(),
                           .capability = &capability_,
                           .ledger = &ledger_,
                           .settings = settings_};
        const auto now = parse_rfc3339("2026-03-02T" + time + ":00Z").value();
        return run().prepare(context, now).keeps_ready;
    }
};

TEST_F(SentimentBeforeTheOpen, TheModelIsLoadedTwoHoursBeforeItsSwitch) {
    EXPECT_FALSE(prepare("06:59"));
    EXPECT_EQ(ledger_.used(), 0U);
    EXPECT_TRUE(prepare("07:01"));
    const auto held = ledger_.used();
    EXPECT_GT(held, 0U);
    EXPECT_TRUE(prepare("08:59")) << "it is kept";
    EXPECT_EQ(ledger_.used(), held);
    EXPECT_FALSE(prepare("09:00")) << "from now on it is like every other";
    EXPECT_EQ(ledger_.used(), held);
    const auto compiled =
        std::distance(std::filesystem::recursive_directory_iterator(settings_.cache),
                      std::filesystem::recursive_directory_iterator());
    ASSERT_TRUE(score(plan({{"texts", {"good news"}}})));
    EXPECT_EQ(ledger_.used(), held) << "nothing is loaded for the first text";
    EXPECT_EQ(std::distance(std::filesystem::recursive_directory_iterator(settings_.cache),
                            std::filesystem::recursive_directory_iterator()),
              compiled)
        << "or compiled";
}

TEST_F(SentimentBeforeTheOpen, NothingIsLoadedIntoUsedMemoryOrIfTurnedOff) {
    const auto hog = ledger_.enter(ledger_.free() - 1000, "another program").value();
    EXPECT_FALSE(prepare("08:00"));
    settings_.values["sentiment.warm_up_hours"] = "0";
    EXPECT_FALSE(prepare("08:00"));
    settings_.values["sentiment.warm_up_hours"] = "1";
    EXPECT_FALSE(prepare("07:59"));
}

TEST_F(SentimentBeforeTheOpen, APolicyThatScoredTextsHereIsRemembered) {
    settings_.values["sentiment.adaptive"] = "0";
    EXPECT_FALSE(prepare("08:00"));
    const auto hash = store_.find("tiny").value().hash;
    const auto chain = [](const std::string& model, const std::string& hash,
                          const std::string& form) {
        return json{{"asked", model},
                    {"models", {{{"model", model}, {"model_hash", hash}, {"form", form}}}},
                    {"missing", ""}};
    };
    const auto trading = parse_rfc3339("2026-03-02T15:00:00Z").value().time_since_epoch();
    const json policy{
        {"id", "desk"},
        {"at", std::chrono::duration_cast<std::chrono::seconds>(trading).count()},
        {"clock", json::object()},
        {"rules", {{{"markets", {"pre_market", "regular"}}, {"sources", json::array()}}}},
        {"chains", {chain("tiny", hash, "fp32"), chain("vader", "", "")}}};
    auto planned = plan({{"texts", {"good news"}}});
    planned.args = json{{"policy", policy}}.dump();
    ASSERT_TRUE(score(planned));
    static_cast<void>(run().release(&*device_));
    EXPECT_FALSE(prepare("06:00"));
    EXPECT_TRUE(prepare("08:00"));
    EXPECT_GT(ledger_.used(), 0U);
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment
