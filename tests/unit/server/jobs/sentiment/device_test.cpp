// A task by a published model, on PoCL as a worker runs it.
#include "engine/models/store.hpp"
#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/probing/probe.hpp"
#include "engine/routines/method.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/registry.hpp"
#include "server/jobs/sentiment/contract/models.hpp"
#include "server/jobs/sentiment/contract/texts.hpp"
#include "tests/unit/engine/models/tiny_model.hpp"
#include "tests/unit/engine/opencl/private_cache.hpp"

#include <algorithm>

#include <gmock/gmock.h>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

const auto* const kCache = testing::AddGlobalTestEnvironment(new opencl::PrivateCache);

class SentimentOnDevice : public testing::Test {
  protected:
    SentimentOnDevice() : store_(folder_.path() / "models"), ledger_(std::uint64_t{1} << 30) {
        auto device = opencl::Device::open({"pocl", 0});
        if (!device) throw std::runtime_error(device.error().message);
        device_.emplace(std::move(*device));
        capability_ = opencl::assess(*device_);
        TinyModel().write(folder_.path() / "published");
        auto added = store_.add(folder_.path() / "published", {.name = "tiny"}, false, {});
        if (!added) throw std::runtime_error(added.error().message);
        settings_.values["models.folder"] = store_.folder().string();
        settings_.cache = folder_.path() / "kernels";
    }
    ~SentimentOnDevice() override { run().release(nullptr); }

    static const jobs::Run& run() { return *find_run("sentiment", kVersion); }

    Result<TaskOutput> score(const Plan& plan, std::size_t task = 0) {
        Progress progress;
        RunContext context{.device = &*device_,
                           .progress = progress,
                           .stop = stop_.get_token(),
                           .capability = &capability_,
                           .ledger = &ledger_,
                           .settings = settings_};
        auto output = run().run(plan.args, plan.tasks[task].input, context);
        done_ = progress.done();
        return output;
    }
    // As the server plans what this worker offers.
    Plan plan(json args) const {
        const auto offer = run().abilities(settings_, &capability_).offer;
        const Knowledge known{.records = {},
                              .devices = {},
                              .offers = {json{{"sentiment", json::parse(offer)}}.dump()}};
        if (!args.contains("models")) args["model"] = "tiny";
        const auto& contract = *find_contract("sentiment");
        return contract.plan(contract.complete(std::move(args), known).value(), kUsualSettings)
            .value();
    }

    TemporaryFolder folder_;
    models::Store store_;
    opencl::Ledger ledger_;
    std::optional<opencl::Device> device_;
    opencl::Capability capability_;
    KindSettings settings_;
    std::stop_source stop_;
    std::int64_t done_ = 0;
};

std::vector<json> rows_of(const TaskOutput& output) {
    std::vector<json> rows;
    const auto lines = gunzip(output.results, 1 << 20).value();
    for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
        rows.push_back(json::parse(lines.substr(at, lines.find('\n', at) - at)));
    }
    return rows;
}

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
    const auto report = json::parse(run().merge(planned.args, partials)->summary);
    EXPECT_EQ(report["model"], "tiny");
    EXPECT_EQ(report["model_hash"].get<std::string>().size(), 64U);
    EXPECT_EQ(report["form"], "fp32");
    EXPECT_EQ(report["proofs"], json::array());
    EXPECT_EQ(report["reading"], (json{{"tokens", 74}, {"truncated", 1}, {"duplicates", 1}}));
    EXPECT_EQ(report["least_certain"].size(), 3U);
}

models::Proof passed(routines::Form form, const opencl::Capability& device) {
    return {.form = std::string(to_string(form)),
            .method = std::string(to_string(method_for(device, form))),
            .passed = true,
            .why = {},
            .texts = 512,
            .same_label = 512,
            .speedup = 2,
            .device = "tests",
            .proven_at = "2026-03-02T09:00:00Z"};
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
    const auto names = run().abilities(settings_, &capability_).names;
    EXPECT_NE(std::ranges::find(names, planned.requirement.capability), names.end());
    const auto output = score(planned);
    ASSERT_TRUE(output) << output.error().message;
    const std::vector<std::string> partials{output->partial};
    const auto report = json::parse(run().merge(planned.args, partials)->summary);
    EXPECT_EQ(report["form"], "int8");
    EXPECT_EQ(report["proofs"][0]["model"], "tiny");
    EXPECT_EQ(report["proofs"][0]["proof"], to_json(proof));
    // A device that computes it in another way has not proven it.
    capability_.features = {{"avx2", 0, 0, {}}, {"avx512_vnni", 0, 0, {}}};
    EXPECT_EQ(run().abilities(settings_, &capability_).names.size(), 1U);
    static_cast<void>(run().release(&*device_));
    EXPECT_EQ(score(planned).error().code, Errc::unavailable);
}

// What the device thread calls while there are no tasks.
class ProvesWhileIdle : public SentimentOnDevice {
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
        const bool used = run().prepare(context);
        EXPECT_EQ(used, progress.beats() > 0) << "signs of life";
        return used;
    }
    std::vector<models::Proof> proofs() const { return store_.find("tiny").value().proofs; }
};

TEST_F(ProvesWhileIdle, EveryFormOnce) {
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "of processors with AVX2";
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

TEST_F(ProvesWhileIdle, AgainWhereItWasStoppedButNotWhereItBrokeTheWorker) {
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "of processors with AVX2";
    stop_.request_stop();
    EXPECT_TRUE(prepare());
    EXPECT_TRUE(proofs().empty());
    stop_ = {};
    const auto mark =
        folder_.path() / "kernels" /
        ("proving-" + store_.find("tiny")->hash + "-" + to_string(capability_.info.address));
    std::ofstream(mark) << "of a worker that is gone";
    EXPECT_FALSE(prepare());
    std::filesystem::last_write_time(
        mark, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
    EXPECT_TRUE(prepare());
    EXPECT_EQ(proofs().size(), 1U);
    EXPECT_FALSE(std::filesystem::exists(mark));
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
    const auto report = json::parse(run().merge(planned.args, partials)->summary);
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

TEST_F(SentimentOnDevice, AModelThatIsGoneOrChangedIsNotReplacedByAnother) {
    const auto planned = plan({{"texts", {"good news"}}});
    TinyModel other;
    other.tensors = TinyModel::random_tensors(2);
    other.write(folder_.path() / "other");
    ASSERT_TRUE(store_.add(folder_.path() / "other", {.name = "tiny"}, true, {}));
    EXPECT_EQ(score(planned).error().code, Errc::unavailable);
    ASSERT_TRUE(store_.remove("tiny"));
    EXPECT_EQ(score(planned).error().code, Errc::unavailable);
}

TEST_F(SentimentOnDevice, StopsAndTellsShortMemory) {
    const auto planned = plan({{"texts", {"good news"}}});
    const auto hog = ledger_.enter(ledger_.free() - 1000, "another program").value();
    EXPECT_EQ(score(planned).error().code, Errc::exhausted);
    stop_.request_stop();
    EXPECT_FALSE(score(planned));
}

TEST_F(SentimentOnDevice, OffersWhatIsInstalledWhereThereIsADevice) {
    EXPECT_TRUE(run().abilities(settings_, nullptr).names.empty());
    const auto can = run().abilities(settings_, &capability_);
    ASSERT_EQ(can.names.size(), 1U);
    EXPECT_THAT(can.names[0], testing::StartsWith("model tiny "));
    TinyModel silent;
    silent.config["id2label"] = {{"0", "cat"}, {"1", "dog"}, {"2", "fish"}};
    silent.write(folder_.path() / "silent");
    ASSERT_TRUE(store_.add(folder_.path() / "silent", {.name = "silent"}, false, {}));
    EXPECT_EQ(run().abilities(settings_, &capability_), can);
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment
