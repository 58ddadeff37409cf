#include "server/kinds/sentiment/contract/texts.hpp"
#include "tests/unit/server/kinds/sentiment/on_device.hpp"

#include <deque>
#include <map>

namespace plimsoll::jobs::sentiment {
namespace {

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
    static std::string key_of(const std::string& args) {
        return run().shared_key(run().parse(args).value());
    }
    std::vector<SharedTask> run_all() {
        std::vector<SharedTask> shared;
        contexts_.clear();
        args_.clear();
        for (auto& task : tasks_) {
            auto& context = contexts_.emplace_back(RunContext{.device = &*device_,
                                                              .progress = task.progress,
                                                              .stop = task.stop.get_token(),
                                                              .capability = &capability_,
                                                              .ledger = &ledger_,
                                                              .settings = settings_});
            args_.push_back(run().parse(task.plan.args).value());
            shared.push_back({.args = args_.back(), .input = task.input, .context = context});
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
    std::deque<std::any> args_;
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

TEST_F(SentimentTogether, AnErrorOrAStopOfOneLeavesTheOthersAlone) {
    add({{"texts", {"good news"}}});
    add({{"texts", {"bad news"}}}).input = "not packed";
    add({{"texts", {"bad news"}}}).stop.request_stop();
    const auto shared = run_all();
    expect_same_as_alone(tasks_[0], shared[0]);
    EXPECT_EQ(shared[1].output->error().code, Errc::corrupt);
    EXPECT_EQ(shared[2].output->error().code, Errc::cancelled);
}

TEST_F(SentimentTogether, TasksRunAloneIfTheModelCannotBeLoaded) {
    add({{"texts", {"good news"}}});
    add({{"texts", {"bad news"}}});
    const auto hog = ledger_.enter(ledger_.free() - 1000, "another program").value();
    for (const auto& task : run_all()) EXPECT_FALSE(task.output);
    for (auto& task : tasks_) task.stop.request_stop();
    for (const auto& task : run_all()) EXPECT_FALSE(task.output) << "all were stopped";
}

TEST_F(SentimentTogether, AFormThatPassedIsShared) {
    capability_.features = {{"avx2", 0, 0, {}}};
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "of processors with AVX2";
    add({{"texts", {"good news", "bad news"}}});
    ASSERT_TRUE(models::keep_proofs(store_.folder_of("tiny"), store_.find("tiny").value().hash,
                                    {passed(routines::Form::int8, capability_)}));
    const auto exact = json::parse(tasks_.front().plan.args);
    tasks_.clear();
    add({{"texts", {"good news", "bad news"}}, {"form", "auto"}});
    add({{"texts", {"a strong quarter"}}, {"form", "int8"}});
    const auto shared = run_all();
    for (std::size_t i = 0; i < tasks_.size(); ++i) expect_same_as_alone(tasks_[i], shared[i]);
    const auto key = key_of(tasks_[0].plan.args);
    EXPECT_EQ(key, key_of(tasks_[1].plan.args));
    EXPECT_NE(key, key_of(exact.dump()));
    auto exactly = tasks_[0].plan;
    exactly.args = exact.dump();
    EXPECT_NE(rows_of(**shared[0].output), rows_of(score(exactly).value()));
}

// Texts of the wire go to "tiny", others to what the last chain names.
json policy_by_source(const Plan& by_tiny, const std::string& otherwise) {
    const json args = json::parse(by_tiny.args);
    const json tiny{
        {"model", "tiny"}, {"model_hash", args.at("model_hash")}, {"form", args.at("form")}};
    const json vader{{"model", "vader"}, {"model_hash", ""}, {"form", ""}};
    const auto chain = [](const std::string& asked, json models) {
        return json{{"asked", asked}, {"models", std::move(models)}, {"missing", ""}};
    };
    return {{"id", "desk"},
            {"at", 1'772'463'600},
            {"clock", json::object()},
            {"rules", {{{"markets", json::array()}, {"sources", {"wire"}}}}},
            {"chains",
             {chain("tiny", json::array({tiny, vader})),
              otherwise == "tiny" ? chain("tiny", json::array({tiny}))
                                  : chain("vader", json::array({vader}))}}};
}

TEST_F(SentimentTogether, TasksWithPoliciesShareTheModelsThatTheyHaveInCommon) {
    const auto add_by_policy = [&](json args, const std::string& otherwise) {
        auto& task = add(std::move(args));
        task.plan.args = json{{"policy", policy_by_source(task.plan, otherwise)}}.dump();
    };
    const json items{{{"text", "good news"}, {"source", "wire"}},
                     {{"text", "bad news"}},
                     {{"text", "a strong quarter"}, {"source", "wire"}}};
    add_by_policy({{"items", items}}, "vader");
    add_by_policy({{"texts", {"good news", "bad news"}}}, "tiny");
    EXPECT_EQ(key_of(tasks_[0].plan.args), key_of(tasks_[1].plan.args));
    EXPECT_NE(key_of(tasks_[0].plan.args), "");
    auto shared = run_all();
    for (std::size_t i = 0; i < tasks_.size(); ++i) expect_same_as_alone(tasks_[i], shared[i]);
    EXPECT_EQ(rows_of(**shared[0].output)[1]["model"], "vader");
    // 9 tokens of the one and 8 of the other, and a little of VADER.
    EXPECT_GT(shared[0].work, shared[1].work);

    ASSERT_TRUE(store_.remove("tiny"));
    run().release(&*device_);
    shared = run_all();
    ASSERT_TRUE(*shared[0].output);
    EXPECT_EQ(rows_of(**shared[0].output)[0]["model"], "vader") << "the next of its chain";
    EXPECT_EQ(shared[1].output->error().code, Errc::not_found) << "it has no other";
}

TEST_F(SentimentTogether, TasksOfOneModelInOneFormShareBatches) {
    const auto key = [&](const json& args) { return key_of(args.dump()); };
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

}  // namespace
}  // namespace plimsoll::jobs::sentiment
