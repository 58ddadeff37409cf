// A task by a published model, on PoCL as a worker runs it.
#include "server/kinds/sentiment/contract/texts.hpp"
#include "tests/unit/engine/opencl/kernel_cache.hpp"
#include "tests/unit/server/kinds/sentiment/on_device.hpp"

#include <algorithm>

#include <gmock/gmock.h>

namespace plimsoll::jobs::sentiment {
namespace {

const auto* const kCache = testing::AddGlobalTestEnvironment(new opencl::KernelCache);

TEST_F(SentimentOnDevice, ScoresEveryItemInOrder) {
    std::string long_text;
    for (int i = 0; i < 60; ++i) long_text += "good ";
    const std::string huge(kLongestText + 1, 'x');
    const auto planned = plan({{"texts", {"good news", huge, "bad news", "good news", long_text}}});
    const auto output = score(planned);
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->items_ok, 4);
    EXPECT_EQ(output->items_failed, 1);
    EXPECT_EQ(done_, 5);
    const auto rows = rows_of(*output);
    ASSERT_EQ(rows.size(), 5U);
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i]["index"], i);
    EXPECT_EQ(rows[0]["tokens"], 4);
    EXPECT_EQ(rows[0]["truncated"], false);
    EXPECT_EQ(rows[1]["error_code"], "too_large");
    EXPECT_EQ(rows[3]["compound"], rows[0]["compound"]);
    EXPECT_EQ(rows[4]["truncated"], true);
    EXPECT_EQ(rows[4]["tokens"], 62);
    for (const auto place : {0, 2, 4}) {
        const auto& row = rows[static_cast<std::size_t>(place)];
        const double positive = row["positive"];
        const double negative = row["negative"];
        EXPECT_NEAR(positive + negative + row["neutral"].get<double>(), 1, 2e-4);
        EXPECT_NEAR(row["compound"].get<double>(), positive - negative, 2e-4);
    }
    const std::vector<std::string> partials{output->partial};
    const auto report = json::parse(merge_tasks(run(), planned.args, partials)->summary);
    EXPECT_EQ(report["model"], "tiny");
    EXPECT_EQ(report["model_hash"].get<std::string>().size(), 64U);
    EXPECT_EQ(report["form"], "fp32");
    EXPECT_EQ(report["proofs"], json::array());
    EXPECT_EQ(
        report["reading"],
        (json{
            {"tokens", 74}, {"truncated", 1}, {"windowed", 0}, {"windows", 0}, {"duplicates", 1}}));
    EXPECT_EQ(report["least_certain"].size(), 3U);
}

// The windows of the long text are texts of their own here: 36 tokens are 12 sentences.
TEST_F(SentimentOnDevice, ReadsLongTextsInWindowsOnRequest) {
    const auto repeated = [](const std::string& sentence, int times) {
        std::string text;
        for (int i = 0; i < times; ++i) text += (i == 0 ? "" : " ") + sentence;
        return text;
    };
    const auto first = repeated("Good news.", 12);
    const auto second = repeated("Bad news.", 5);
    const auto whole = first + "\n" + second;
    const std::vector<std::string> texts{first, second, whole, whole, "good"};
    const auto rows = rows_of(score(plan({{"texts", texts}, {"long_texts", "windows"}})).value());
    EXPECT_EQ(rows[2]["tokens"], 53);
    EXPECT_EQ(rows[2]["truncated"], false);
    EXPECT_EQ(rows[2]["windows"], 2);
    EXPECT_EQ(rows[4]["windows"], 1);
    for (const char* share : {"positive", "neutral", "negative", "compound"}) {
        const auto of = [&](int row) {
            return rows[static_cast<std::size_t>(row)][share].get<double>();
        };
        EXPECT_NEAR(of(2), (36 * of(0) + 15 * of(1)) / 51, 2e-4) << share;
        EXPECT_NE(of(2), of(0));
        EXPECT_EQ(of(3), of(2));
    }
    const auto planned = plan({{"texts", texts}, {"long_texts", "windows"}, {"batch_size", 1}});
    const auto one_by_one = score(planned).value();
    EXPECT_EQ(rows_of(one_by_one), rows);
    EXPECT_EQ(done_, 5);
    const std::vector<std::string> partials{one_by_one.partial};
    const auto report = json::parse(merge_tasks(run(), planned.args, partials)->summary);
    EXPECT_EQ(report["reading"], (json{{"tokens", 38 + 17 + 53 + 53 + 3},
                                       {"truncated", 0},
                                       {"windowed", 2},
                                       {"windows", 4},
                                       {"duplicates", 1}}));
    const auto cut = rows_of(score(plan({{"texts", texts}})).value());
    EXPECT_EQ(cut[2]["truncated"], true);
    EXPECT_FALSE(cut[2].contains("windows"));
    EXPECT_EQ(cut[0]["compound"], rows[0]["compound"]);
}

TEST_F(SentimentOnDevice, ScoresInAFormThatPassedAndInNoOther) {
    capability_.features = {{"avx2", 0, 0, {}}};
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "of processors with AVX2";
    const json args{{"texts", {"good news", "bad news"}}, {"form", "auto"}};
    EXPECT_EQ(json::parse(plan(args).args)["form"], "fp32");
    const auto proof = passed(routines::Form::int8, capability_);
    const auto manifest = store_.find("tiny").value();
    ASSERT_TRUE(models::keep_proofs(store_.folder_of("tiny"), manifest.hash, {proof}));
    const auto planned = plan(args);
    EXPECT_EQ(planned.requirement.capability,
              "model tiny " + manifest.hash.substr(0, 12) + " int8");
    const auto names = run().capabilities(settings_, &capability_).names;
    EXPECT_NE(std::ranges::find(names, planned.requirement.capability), names.end());
    const auto output = score(planned);
    ASSERT_TRUE(output) << output.error().message;
    const std::vector<std::string> partials{output->partial};
    const auto report = json::parse(merge_tasks(run(), planned.args, partials)->summary);
    EXPECT_EQ(report["form"], "int8");
    EXPECT_EQ(report["devices"].size(), 1U);
    EXPECT_EQ(report["devices"][0]["device"], "/opencl:pocl:0");
    EXPECT_EQ(report["devices"][0]["name"], capability_.info.name);
    EXPECT_EQ(report["devices"][0]["items"], 2);
    EXPECT_EQ(report["proofs"][0]["model"], "tiny");
    EXPECT_EQ(report["proofs"][0]["proof"], json(proof));
    // A device that computes it in another way has not proven it.
    capability_.features = {{"avx512_vnni", 0, 0, {}}};
    EXPECT_EQ(run().capabilities(settings_, &capability_).names.size(), 1U);
    static_cast<void>(run().release(&*device_));
    EXPECT_EQ(score(planned).error().code, Errc::not_found);
}

TEST_F(SentimentOnDevice, AComparisonScoresInTheForm) {
    capability_.features = {{"avx2", 0, 0, {}}};
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "of processors with AVX2";
    const auto manifest = store_.find("tiny").value();
    ASSERT_TRUE(models::keep_proofs(store_.folder_of("tiny"), manifest.hash,
                                    {passed(routines::Form::int8, capability_)}));
    const std::vector<std::string> texts(40, "good bad news of a great loss");
    const auto compound = [&](const json& args) {
        const auto output = score(plan(args)).value();
        return rows_of(output)[0]["compound"].get<double>();
    };
    const auto exact = compound({{"texts", texts}});
    const auto narrow = compound({{"texts", texts}, {"form", "int8"}});
    json args{{"texts", texts}, {"models", {"tiny", "vader"}}, {"form", "int8"}};
    const auto planned = plan(args);
    const auto output = score(planned).value();
    EXPECT_EQ(rows_of(output)[0]["models"]["tiny"]["compound"], narrow);
    EXPECT_NE(narrow, exact);
    const std::vector<std::string> partials{output.partial};
    const auto report = json::parse(merge_tasks(run(), planned.args, partials)->summary);
    EXPECT_EQ(report["compared"]["comparison"]["tiny"]["form"], "int8");
    EXPECT_EQ(report["compared"]["comparison"]["vader"]["form"], nullptr);
    EXPECT_EQ(report["form"], "int8");
}

TEST_F(SentimentOnDevice, KeepsTheModelUntilItIsReleased) {
    const auto planned = plan({{"texts", {"good news"}}});
    ASSERT_TRUE(score(planned));
    const auto held = ledger_.used();
    EXPECT_GT(held, 0U);
    ASSERT_TRUE(score(planned));
    EXPECT_EQ(ledger_.used(), held);
    EXPECT_EQ(run().release(&*device_), held);
    EXPECT_EQ(ledger_.used(), 0U);
}

TEST_F(SentimentOnDevice, ARemovedOrChangedModelIsNotReplacedByAnother) {
    const auto planned = plan({{"texts", {"good news"}}});
    TinyModel other;
    other.tensors = TinyModel::random_tensors(2);
    other.write(folder_.path() / "other");
    ASSERT_TRUE(store_.add(folder_.path() / "other", {.name = "tiny"}, true, {}));
    EXPECT_EQ(score(planned).error().code, Errc::not_found);
    ASSERT_TRUE(store_.remove("tiny"));
    EXPECT_EQ(score(planned).error().code, Errc::not_found);
}

TEST_F(SentimentOnDevice, StopsAndReportsLowMemory) {
    const auto planned = plan({{"texts", {"good news"}}});
    const auto hog = ledger_.enter(ledger_.free() - 1000, "another program").value();
    EXPECT_EQ(score(planned).error().code, Errc::exhausted);
    stop_.request_stop();
    EXPECT_FALSE(score(planned));
}

TEST_F(SentimentOnDevice, OffersWhatIsInstalledWhereThereIsADevice) {
    EXPECT_TRUE(run().capabilities(settings_, nullptr).names.empty());
    const auto can = run().capabilities(settings_, &capability_);
    ASSERT_EQ(can.names.size(), 1U);
    EXPECT_THAT(can.names[0], testing::StartsWith("model tiny "));
    TinyModel silent;
    silent.config["id2label"] = {{"0", "cat"}, {"1", "dog"}, {"2", "fish"}};
    silent.write(folder_.path() / "silent");
    ASSERT_TRUE(store_.add(folder_.path() / "silent", {.name = "silent"}, false, {}));
    EXPECT_EQ(run().capabilities(settings_, &capability_).names, can.names);
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment
