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
#include <deque>
#include <map>

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
        args["model"] = "tiny";
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

// Tasks of several jobs, run together as by a worker.
class SentimentTogether : public SentimentOnDevice {
  protected:
    struct Task {
        Plan plan;
        std::string input;
        Progress progress = {};
        std::stop_source stop = {};
    };
    Task& add(json args) {
        auto planned = plan(std::move(args));
        auto input = planned.tasks.front().input;
        return tasks_.emplace_back(std::move(planned), std::move(input));
    }
    std::vector<SharedTask> run_all() {
        std::vector<SharedTask> shared;
        contexts_.clear();
        for (auto& task : tasks_) {
            auto& context = contexts_.emplace_back(RunContext{.device = &*device_,
                                                              .progress = task.progress,
                                                              .stop = task.stop.get_token(),
                                                              .capability = &capability_,
                                                              .ledger = &ledger_,
                                                              .settings = settings_});
            shared.push_back({.args = task.plan.args, .input = task.input, .context = context});
        }
        run().run_together(shared);
        return shared;
    }
    void expect_same_as_alone(const Task& task, const SharedTask& shared) {
        ASSERT_TRUE(shared.output && *shared.output);
        const auto alone = score(task.plan);
        ASSERT_TRUE(alone);
        EXPECT_EQ(rows_of(**shared.output), rows_of(*alone));
        EXPECT_EQ((*shared.output)->partial, alone->partial);
        EXPECT_EQ((*shared.output)->items_ok, alone->items_ok);
        EXPECT_EQ((*shared.output)->items_failed, alone->items_failed);
        EXPECT_EQ(task.progress.done(), done_);
    }

    std::deque<Task> tasks_;
    std::deque<RunContext> contexts_;
};

TEST_F(SentimentTogether, EachTaskAnswersAsIfItRanAlone) {
    const std::string huge(kLongestText + 1, 'x');
    add({{"texts", {"good news", "bad news"}}});
    add({{"texts", {"bad news", huge, "good news", "good news"}}});
    add({{"items", {{{"text", "a strong quarter"}, {"custom_id", "q"}}}}});
    const auto shared = run_all();
    for (std::size_t i = 0; i < tasks_.size(); ++i) expect_same_as_alone(tasks_[i], shared[i]);
    // Tokens that the device read: a text of two words has four, its repetition in a task none.
    EXPECT_EQ(shared[0].work, 8U);
    EXPECT_EQ(shared[1].work, 8U);
    EXPECT_EQ(shared[2].work, 5U);
}

TEST_F(SentimentTogether, OnesErrorOrStopIsNotTheOthers) {
    add({{"texts", {"good news"}}});
    add({{"texts", {"bad news"}}}).input = "not packed";
    add({{"texts", {"bad news"}}}).stop.request_stop();
    const auto shared = run_all();
    expect_same_as_alone(tasks_[0], shared[0]);
    EXPECT_EQ(shared[1].output->error().code, Errc::corrupt);
    EXPECT_EQ(shared[2].output->error().code, Errc::cancelled);
}

TEST_F(SentimentTogether, AModelThatCannotBeLoadedLeavesEachToItself) {
    add({{"texts", {"good news"}}});
    add({{"texts", {"bad news"}}});
    const auto hog = ledger_.enter(ledger_.free() - 1000, "another program").value();
    for (const auto& task : run_all()) EXPECT_FALSE(task.output);
    for (auto& task : tasks_) task.stop.request_stop();
    for (const auto& task : run_all()) EXPECT_FALSE(task.output) << "all were stopped";
}

TEST_F(SentimentTogether, TasksOfOneModelInOneFormMay) {
    const auto key = [&](const json& args) { return run().shared_key(args.dump()); };
    const json args = json::parse(plan({{"texts", {"good news"}}}).args);
    EXPECT_FALSE(key(args).empty());
    EXPECT_EQ(key(args), key(json::parse(plan({{"texts", {"bad", "news"}}}).args)));
    for (const auto& [member, value] : std::map<std::string, json>{
             {"model_hash", "other"}, {"form", "int8"}, {"batch_size", 5}}) {
        auto other = args;
        other[member] = value;
        EXPECT_NE(key(other), key(args)) << member;
    }
    EXPECT_EQ(key({{"model", "vader"}}), "");
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
    EXPECT_EQ(report["proofs"], json::array({to_json(proof)}));
    // A device that computes it in another way has not proven it.
    capability_.features = {{"avx2", 0, 0, {}}, {"avx512_vnni", 0, 0, {}}};
    EXPECT_EQ(run().abilities(settings_, &capability_).names.size(), 1U);
    static_cast<void>(run().release(&*device_));
    EXPECT_EQ(score(planned).error().code, Errc::unavailable);
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
    EXPECT_EQ(score(planned).error().code, Errc::unavailable);
    ASSERT_TRUE(store_.remove("tiny"));
    EXPECT_EQ(score(planned).error().code, Errc::unavailable);
}

TEST_F(SentimentOnDevice, StopsAndReportsLowMemory) {
    const auto planned = plan({{"texts", {"good news"}}});
    const auto hog = ledger_.enter(ledger_.free() - 1000, "another program").value();
    EXPECT_EQ(score(planned).error().code, Errc::exhausted);
    stop_.request_stop();
    EXPECT_FALSE(score(planned));
}

// The guide's adaptive policy: "tiny" while the market trades, from 9:00 UTC on that Monday.
class SentimentBeforeTheOpen : public SentimentOnDevice {
  protected:
    SentimentBeforeTheOpen() {
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
        return run().prepare(context, parse_rfc3339("2026-03-02T" + time + ":00Z").value());
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

TEST_F(SentimentBeforeTheOpen, ItTakesNoMemoryThatIsInUseAndNoneWhereThatIsOff) {
    const auto hog = ledger_.enter(ledger_.free() - 1000, "another program").value();
    EXPECT_FALSE(prepare("08:00"));
    settings_.values["sentiment.warm_up_hours"] = "0";
    EXPECT_FALSE(prepare("08:00"));
    settings_.values["sentiment.warm_up_hours"] = "1";
    EXPECT_FALSE(prepare("07:59"));
}

TEST_F(SentimentBeforeTheOpen, APolicyThatScoredTextsHereIsKeptInMind) {
    settings_.values["sentiment.adaptive"] = "0";
    EXPECT_FALSE(prepare("08:00"));
    const auto hash = store_.find("tiny").value().hash;
    const auto chain = [](const std::string& model, const std::string& hash) {
        return json{{"asked", model},
                    {"models", {{{"model", model}, {"model_hash", hash}}}},
                    {"missing", ""}};
    };
    const auto trading = parse_rfc3339("2026-03-02T15:00:00Z").value().time_since_epoch();
    const json policy{
        {"id", "desk"},
        {"at", std::chrono::duration_cast<std::chrono::seconds>(trading).count()},
        {"clock", json::object()},
        {"rules", {{{"markets", {"pre_market", "regular"}}, {"sources", json::array()}}}},
        {"chains", {chain("tiny", hash), chain("vader", "")}}};
    auto planned = plan({{"texts", {"good news"}}});
    planned.args = json{{"policy", policy}}.dump();
    ASSERT_TRUE(score(planned));
    static_cast<void>(run().release(&*device_));
    EXPECT_FALSE(prepare("06:00"));
    EXPECT_TRUE(prepare("08:00"));
    EXPECT_GT(ledger_.used(), 0U);
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
