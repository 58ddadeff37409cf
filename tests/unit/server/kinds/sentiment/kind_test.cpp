// The kind as the server and a worker use it: plan, run every task, merge.
#include "server/base/gzip.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/jobs/records/dataset_cutter.hpp"
#include "server/jobs/registry.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "tests/unit/server/jobs/run_task.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment::kind_test {
namespace {

using nlohmann::json;

tl::expected<Plan, FieldErrors> plan(const json& args) {
    return find_contract("sentiment")->plan(args, {});
}

struct Outcome {
    std::vector<json> rows;
    json report;
    std::int64_t ok = 0;
    std::int64_t failed = 0;
};

Outcome run_all(const Plan& plan) {
    const jobs::Run& run = *find_run("sentiment", kVersion);
    Outcome outcome;
    std::string members;
    std::vector<std::string> partials;
    for (const TaskSpec& task : plan.tasks) {
        Progress progress;
        RunContext context{.device = nullptr, .progress = progress, .stop = {}};
        const TaskOutput output = run_task(run, plan.args, task.input, context).value();
        EXPECT_EQ(output.items_ok + output.items_failed, task.items);
        EXPECT_EQ(progress.done(), task.items);
        EXPECT_LE(output.partial.size(), 64u << 10);
        outcome.ok += output.items_ok;
        outcome.failed += output.items_failed;
        members += output.results;
        partials.push_back(output.partial);
    }
    const std::string lines = gunzip(members, 1 << 28).value();
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = lines.find('\n', at);
        outcome.rows.push_back(json::parse(lines.substr(at, end - at)));
        at = end + 1;
    }
    outcome.report = json::parse(merge_tasks(run, plan.args, partials)->summary);
    return outcome;
}

TEST(SentimentKind, ScoresEveryItemInOrderWithItsId) {
    const Outcome outcome = run_all(plan({{"items",
                                           {{{"custom_id", "h-1"}, {"text", "What a great day!"}},
                                            {{"text", ""}},
                                            {{"custom_id", "h \"3\""}, {"text", "A disaster."}}}}})
                                        .value());
    ASSERT_EQ(outcome.rows.size(), 3u);
    EXPECT_EQ(outcome.ok, 3);
    EXPECT_EQ(outcome.rows[0]["index"], 0);
    EXPECT_EQ(outcome.rows[0]["custom_id"], "h-1");
    EXPECT_EQ(outcome.rows[0]["label"], "positive");
    EXPECT_EQ(outcome.rows[0]["compound"], 0.6588);
    EXPECT_EQ(outcome.rows[0]["positive"], 0.594);
    EXPECT_EQ(outcome.rows[0]["neutral"], 0.406);
    EXPECT_EQ(outcome.rows[0]["negative"], 0);
    EXPECT_EQ(outcome.rows[0]["error"], nullptr);
    EXPECT_EQ(outcome.rows[1]["custom_id"], nullptr);
    EXPECT_EQ(outcome.rows[1]["label"], "neutral");
    EXPECT_EQ(outcome.rows[1]["neutral"], 0);
    EXPECT_EQ(outcome.rows[2]["custom_id"], "h \"3\"");
    EXPECT_EQ(outcome.rows[2]["label"], "negative");
    EXPECT_EQ(outcome.report["labels"], (json{{"positive", 1}, {"neutral", 1}, {"negative", 1}}));
}

TEST(SentimentKind, EveryRowHasTheContractsColumns) {
    const Contract& contract = *find_contract("sentiment");
    const std::string huge(kLongestText + 1, 'x');
    const Outcome outcome = run_all(plan({{"texts", {"good", huge}}}).value());
    for (const json& row : outcome.rows) {
        std::set<std::string> missing;
        for (const Column& column : contract.columns) missing.emplace(column.name);
        for (const auto& [member, value] : row.items())
            EXPECT_EQ(missing.erase(member), 1U) << member;
        // Only of jobs by a policy, of comparisons, and of items that have them; nulls where the
        // text failed.
        const std::set<std::string> optional{"form",   "model_asked", "model_reason", "source",
                                             "time",   "given_label", "group",        "kept",
                                             "models", "windows"};
        EXPECT_EQ(missing, row["error"].is_null() ? optional : std::set<std::string>());
    }
}

TEST(SentimentKind, RowsContainTheBeginningOfTheirText) {
    std::string wide;
    for (int i = 0; i < 300; ++i) wide += "é";
    const std::string huge(kLongestText + 1, 'x');
    const Outcome outcome = run_all(plan({{"texts", {"a \"good\" one", wide, huge}}}).value());
    EXPECT_EQ(outcome.rows[0]["text"], "a \"good\" one");
    EXPECT_EQ(outcome.rows[1]["text"], wide.substr(0, 280 * 2));
    EXPECT_EQ(outcome.rows[2]["text"], nullptr);
}

TEST(SentimentKind, ANullIsAnErrorOfItsItem) {
    const Outcome outcome =
        run_all(plan({{"items", {{{"text", "good"}}, {{"text", nullptr}}}}}).value());
    EXPECT_EQ(outcome.rows[0]["label"], "positive");
    EXPECT_EQ(outcome.rows[1]["error_code"], "empty_text");
}

TEST(SentimentKind, ATextOverTheLimitFailsAlone) {
    const std::string longest(kLongestText, 'x');
    const Outcome outcome = run_all(plan({{"texts", {"good", longest + "x", longest}}}).value());
    EXPECT_EQ(outcome.ok, 2);
    EXPECT_EQ(outcome.failed, 1);
    EXPECT_EQ(outcome.rows[1]["error_code"], "too_large");
    EXPECT_EQ(outcome.rows[1]["compound"], nullptr);
    EXPECT_EQ(outcome.rows[2]["error"], nullptr);
    ASSERT_EQ(outcome.report["errors"].size(), 1u);
    EXPECT_EQ(outcome.report["errors"][0]["index"], 1);
    EXPECT_EQ(outcome.report["errors"][0]["error_code"], "too_large");
}

// A job on an uploaded file, planned as the server does.
Plan plan_on_file(std::string_view file, text::RecordFormat format) {
    DatasetCutter cutter(format);
    std::vector<DatasetChunk> chunks;
    EXPECT_TRUE(cutter.feed(file, chunks) && cutter.finish(chunks));
    const auto planned =
        find_contract("sentiment")
            ->plan_dataset(json::object(), {}, {"data_1", "texts", format, cutter.columns()});
    Plan plan{.args = planned->plan.args, .requirement = {}, .tasks = {}};
    for (auto& chunk : chunks) plan.tasks.push_back({std::move(chunk.content), chunk.records, 0});
    return plan;
}

TEST(SentimentKind, ItemsOfAFileNameTheirLine) {
    const std::string too_long(kLongestText + 1, 'x');
    const auto planned = plan_on_file("text\n\"good\nnews\"\n\n" + too_long + "\na,b\nbad\n",
                                      text::RecordFormat::csv);
    const Outcome outcome = run_all(planned);
    ASSERT_EQ(outcome.rows.size(), 4u);
    EXPECT_EQ(outcome.rows[0]["line"], 2);
    EXPECT_EQ(outcome.rows[1]["line"], 5);
    EXPECT_EQ(outcome.rows[1]["error_code"], "too_large");
    EXPECT_EQ(outcome.rows[2]["line"], 6);
    EXPECT_EQ(outcome.rows[3]["line"], 7);
    EXPECT_EQ(outcome.report["errors"][0]["line"], 5);
    EXPECT_EQ(outcome.report["errors"][1]["line"], 6);
    const auto given_up =
        find_contract("sentiment")
            ->failed_rows(planned.args, planned.tasks.at(0).input, "Its workers died.");
    EXPECT_EQ(json::parse(given_up->substr(0, given_up->find('\n')))["line"], 2);
}

TEST(SentimentKind, ItemsOfARequestHaveNoLine) {
    const std::string too_long(kLongestText + 1, 'x');
    const Outcome outcome = run_all(plan({{"texts", {"good", too_long}}}).value());
    EXPECT_TRUE(outcome.rows[0].at("line").is_null());
    EXPECT_TRUE(outcome.report["errors"][0].at("line").is_null());
}

TEST(SentimentKind, WrongArgumentsNameTheirField) {
    EXPECT_EQ(plan(json::object()).error()[0].rule, "one_of");
    EXPECT_EQ(plan({{"texts", {"a"}}, {"items", {{{"text", "b"}}}}}).error()[0].rule, "one_of");
    EXPECT_EQ(plan({{"texts", json::array()}}).error()[0].pointer, "/texts");
    EXPECT_EQ(plan({{"texts", {"a"}}, {"model", "oracle"}}).error()[0].pointer, "/model");
    EXPECT_EQ(plan({{"texts", {"a"}}, {"batch_size", 5}}).error()[0].pointer, "/batch_size");
    EXPECT_EQ(plan({{"texts", {"a"}}, {"long_texts", "windows"}}).error()[0].pointer,
              "/long_texts");
}

TEST(SentimentKind, ManyTextsAreCutIntoTasksAndTheReportDoesNotShowTheCuts) {
    json texts = json::array();
    for (int i = 0; i < 30000; ++i)
        texts.push_back(i % 3 == 0 ? "good" : i % 3 == 1 ? "bad" : "paper");
    texts[20000] = "The most wonderful, superb, great, excellent and brilliant thing!!!";
    const Plan cut = plan({{"texts", texts}}).value();
    EXPECT_EQ(cut.tasks.size(), 30000 / kChunkRecords + 1);
    const Outcome outcome = run_all(cut);
    ASSERT_EQ(outcome.rows.size(), 30000u);
    for (std::size_t i = 0; i < outcome.rows.size(); ++i) EXPECT_EQ(outcome.rows[i]["index"], i);
    const json& report = outcome.report;
    EXPECT_EQ(report["model"], "vader");
    EXPECT_EQ(report["labels"]["positive"].get<int>() + report["labels"]["negative"].get<int>() +
                  report["labels"]["neutral"].get<int>(),
              30000);
    std::int64_t in_bins = 0;
    for (const json& bin : report["histogram"]) in_bins += bin["count"].get<std::int64_t>();
    EXPECT_EQ(in_bins, 30000);
    EXPECT_EQ(report["histogram"].size(), 40u);
    EXPECT_EQ(report["histogram"][0]["from"], -1);
    EXPECT_EQ(report["histogram"][39]["to"], 1);
    // Of equal scores the earliest; the strongest first.
    ASSERT_EQ(report["most_positive"].size(), 2u) << "each text once";
    EXPECT_EQ(report["most_positive"][0]["index"], 20000);
    EXPECT_EQ(report["most_positive"][1]["index"], 0);
    ASSERT_EQ(report["most_negative"].size(), 1u);
    EXPECT_EQ(report["most_negative"][0]["index"], 1);
    double sum = 0;
    for (const json& row : outcome.rows) sum += row["compound"].get<double>();
    EXPECT_NEAR(report["compound"]["mean"].get<double>(), sum / 30000, 1e-6);
    EXPECT_EQ(report["compound"]["minimum"], -0.5423);
}

TEST(SentimentKind, TasksStayBelowAMebibyteEvenWhereTextsDoNotCompress) {
    json texts = json::array();
    std::uint32_t state = 1;
    for (int i = 0; i < 60; ++i) {
        std::string text;
        while (text.size() < kLongestText) {
            state = state * 1664525 + 1013904223;
            text.push_back(static_cast<char>(33 + (state >> 16) % 94));
        }
        texts.push_back(text);
    }
    const Plan cut = plan({{"texts", texts}}).value();
    EXPECT_GT(cut.tasks.size(), 3u);
    std::int64_t items = 0;
    for (const TaskSpec& task : cut.tasks) {
        EXPECT_LE(task.input.size(), 1u << 20);
        EXPECT_GT(task.estimated_seconds, 0);
        items += task.items;
    }
    EXPECT_EQ(items, 60);
}

TEST(SentimentKind, PartialsStaySmallWithTheWorstTexts) {
    json items = json::array();
    const std::string id(64, '\x01');  // six bytes each in JSON
    for (int i = 0; i < 40; ++i) {
        const std::string word = i % 2 == 0 ? "good " : "bad ";
        items.push_back({{"custom_id", id}, {"text", word + std::string(1000, '\x01')}});
        items.push_back({{"custom_id", id}, {"text", std::string(kLongestText + 1, 'x')}});
    }
    run_all(plan({{"items", items}}).value());  // checks the size
    items.clear();
    for (int day = 10; day < 30; ++day)
        for (int name = 0; name < 100; ++name)
            items.push_back({{"text", "good"},
                             {"time", "2026-03-" + std::to_string(day) + "T10:00:00Z"},
                             {"source", "wire " + std::to_string(name)},
                             {"group", "group " + std::to_string(name)}});
    const auto report = run_all(plan({{"items", items}}).value()).report;
    EXPECT_EQ(report["by_group"]["groups"].at(99)["change"]["texts"], 1);
}

TEST(SentimentKind, NothingScoredGivesNullStatistics) {
    const Outcome outcome =
        run_all(plan({{"texts", {std::string(kLongestText + 1, 'x')}}}).value());
    EXPECT_EQ(outcome.report["compound"]["mean"], nullptr);
    EXPECT_EQ(outcome.report["compound"]["standard_deviation"], nullptr);
}

TEST(SentimentKind, StopsWhenAskedTo) {
    json texts = json::array();
    for (int i = 0; i < 1000; ++i) texts.push_back("good");
    const Plan cut = plan({{"texts", texts}}).value();
    std::stop_source source;
    source.request_stop();
    Progress progress;
    RunContext context{.device = nullptr, .progress = progress, .stop = source.get_token()};
    const auto output =
        run_task(*find_run("sentiment", kVersion), cut.args, cut.tasks[0].input, context);
    EXPECT_EQ(output.error().code, Errc::cancelled);
    EXPECT_LT(progress.done(), 1000);
}

TEST(SentimentKind, DamagedChunksAreFinalErrors) {
    Progress progress;
    RunContext context{.device = nullptr, .progress = progress, .stop = {}};
    const jobs::Run& run = *find_run("sentiment", kVersion);
    EXPECT_EQ(run_task(run, "{}", "noise", context).error().code, Errc::corrupt);
    EXPECT_EQ(run_task(run, "{}", gzip("noise"), context).error().code, Errc::corrupt);
    const std::vector<std::string> partials = {"{}"};
    EXPECT_EQ(merge_tasks(run, "{}", partials).error().code, Errc::corrupt);
}

TEST(SentimentKind, AQuarantinedTaskHasARowForEveryItem) {
    const std::string too_long(kLongestText + 1, 'x');
    const auto planned =
        plan(json{{"items", {{{"custom_id", "a"}, {"text", "fine"}}, {{"text", too_long}}}}});
    const auto text =
        find_contract("sentiment")
            ->failed_rows(planned->args, planned->tasks.at(0).input, "Its workers died.");
    ASSERT_TRUE(text);
    const auto end_of_first = text->find('\n');
    const auto first = json::parse(text->substr(0, end_of_first));
    EXPECT_EQ(first["index"], 0);
    EXPECT_EQ(first["custom_id"], "a");
    EXPECT_EQ(first["error_code"], "quarantined");
    EXPECT_EQ(first["error"], "Its workers died.");
    EXPECT_TRUE(first["compound"].is_null());
    const auto second = json::parse(text->substr(end_of_first + 1));
    EXPECT_EQ(second["index"], 1);
    EXPECT_EQ(second["error_code"], "too_large");  // what was wrong before stays
    EXPECT_FALSE(find_contract("sentiment")->failed_rows("{}", "damaged", "x"));
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment::kind_test
