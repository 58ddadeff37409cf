// The kind as the server and a worker use it: plan, run every task, merge.
#include "server/jobs/kind.hpp"

#include "server/base/gzip.hpp"
#include "tests/unit/server/jobs/run_task.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::word_count {

extern const Contract kContract;
extern const Run kRun;

namespace {

using nlohmann::json;

TEST(WordCountKind, CountsTheWordsOfEveryItem) {
    const json args{{"items",
                     {{{"text", " one\ttwo\n three "}, {"custom_id", "a"}},
                      {{"text", ""}},
                      {{"text", std::string(70000, 'x')}}}}};
    const auto plan = kContract.plan(args, {});
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->tasks.size(), 1U);
    Progress progress;
    RunContext context{.device = nullptr, .progress = progress, .stop = {}};
    const auto output = run_task(kRun, plan->args, plan->tasks.front().input, context).value();
    EXPECT_EQ(output.items_ok, 2);
    EXPECT_EQ(output.items_failed, 1);  // longer than a text may be
    EXPECT_EQ(progress.done(), 3);
    const auto rows = gunzip(output.results, 1 << 20).value();
    const auto first = json::parse(rows.substr(0, rows.find('\n')));
    EXPECT_EQ(first.at("words"), 3);
    EXPECT_EQ(first.at("custom_id"), "a");
    const auto merged =
        merge_tasks(kRun, plan->args, std::vector{output.partial, output.partial}).value();
    EXPECT_EQ(json::parse(merged.summary), (json{{"words", 6}}));
}

TEST(WordCountKind, WritesARowForEveryItemOfAQuarantinedTask) {
    const auto plan = kContract.plan({{"texts", {"one", "two"}}}, {});
    const auto rows = kContract.failed_rows(plan->args, plan->tasks.front().input, "It crashed.");
    ASSERT_TRUE(rows);
    EXPECT_EQ(std::count(rows->begin(), rows->end(), '\n'), 2);
}

}  // namespace
}  // namespace plimsoll::jobs::word_count
