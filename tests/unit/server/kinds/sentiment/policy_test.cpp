// Policies that choose models: what is refused, what is chosen, what is planned, and how texts are
// scored by what was chosen.
#include "server/base/gzip.hpp"
#include "server/jobs/registry.hpp"
#include "server/kinds/sentiment/contract/model_choice.hpp"
#include "server/kinds/sentiment/contract/policy_preview.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "tests/unit/server/jobs/run_task.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::jobs::sentiment::policy_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A Monday: pre-market from 09:00 UTC, trading 14:30 to 21:00, after hours to 01:00.
constexpr const char* kTrading = "2026-03-02T15:00:00Z";
constexpr const char* kClosed = "2026-03-02T03:00:00Z";

Manifest model(const std::string& name, std::uint32_t layers = 12) {
    return {.name = name,
            .hash = std::string(64, name.front()),
            .family = "bert",
            .labels = {"positive", "negative", "neutral"},
            .parameters = 9'000'000ULL * layers,
            .longest_text = 512,
            .layers = layers,
            .hidden = 768,
            .intermediate = 3072};
}

json desk() {
    return {{"model", "vader"},
            {"rules",
             {{{"sources", {"businesswire", "globenewswire"}}, {"model", "finbert"}},
              {{"markets", {"open", "extended"}}, {"model", "distilbert"}}}}};
}

Timestamp moment(const std::string& text) { return parse_rfc3339(text).value(); }

PlanningContext planning_context(const std::vector<Manifest>& models, const json& policy = desk(),
                                 const std::string& at = kTrading) {
    PlanningContext known;
    known.advertisements = {json{{"sentiment", advertisement_of(models)}}.dump()};
    TeamRecord record;
    record.id = "desk";
    record.data = policy.dump();
    known.records["sentiment_policy"] = {std::move(record)};
    known.at = moment(at);
    return known;
}

const Contract& contract() { return *find_contract("sentiment"); }

Plan planned(const json& args, const PlanningContext& known) {
    return contract().plan(args, known).value();
}

std::string refusal_of(const json& definition) {
    const auto policy = parse_policy(definition);
    return policy ? "" : policy.error().front().pointer + " " + policy.error().front().rule;
}

Chooser chooser(const json& definition, const std::vector<Manifest>& models,
                const std::string& at = kTrading) {
    const auto seconds =
        std::chrono::floor<std::chrono::seconds>(moment(at).time_since_epoch()).count();
    return Chooser::of(resolve("desk", parse_policy(definition).value(), models, seconds).value())
        .value();
}

std::string chosen(Chooser& by, std::optional<std::string_view> time, std::string_view source) {
    const auto choice = by.choose(time, source);
    if (!choice) return choice.error().message;
    return by.policy().chains[choice->chain].models.front().name + " (" +
           by.reason(*choice, source) + ")";
}

TEST(SentimentPolicy, TheFirstMatchingRuleChooses) {
    auto by = chooser(desk(), {model("finbert"), model("distilbert")});
    EXPECT_EQ(chosen(by, kTrading, "reuters"), "distilbert (rule 2: market regular)");
    EXPECT_EQ(chosen(by, kTrading, "businesswire"), "finbert (rule 1: source businesswire)");
    EXPECT_EQ(chosen(by, kClosed, "businesswire"), "finbert (rule 1: source businesswire)");
    EXPECT_EQ(chosen(by, kClosed, "reuters"), "vader (no rule matches)");
    EXPECT_EQ(chosen(by, "2026-03-02T10:00:00Z", ""), "distilbert (rule 2: market pre_market)");
    EXPECT_EQ(chosen(by, "2026-03-03T00:30:00Z", ""), "distilbert (rule 2: market after_hours)");
    EXPECT_EQ(chosen(by, {}, ""), "distilbert (rule 2: market regular)");
}

TEST(SentimentPolicy, AnInvalidTimeHasNoModel) {
    auto by = chooser(desk(), {});
    EXPECT_THAT(chosen(by, "2026-03-02 15:00", ""), HasSubstr("RFC 3339 time with a zone"));
    EXPECT_THAT(chosen(by, "1989-03-02T15:00:00Z", ""), HasSubstr("1990 to 2040"));
    EXPECT_THAT(chosen(by, "2041-03-02T15:00:00Z", ""), HasSubstr("1990 to 2040"));
}

TEST(SentimentPolicy, AMissingModelFallsBackToTheNextOfTheChain) {
    const auto chain_of = [](const json& definition, const std::vector<Manifest>& models) {
        const auto by = chooser(definition, models);
        return by.policy().chains.back();
    };
    const json policy{{"model", "distilbert"}};
    EXPECT_EQ(chain_of(policy, {model("distilbert")}).missing, "");
    const auto chain = chain_of(policy, {model("finbert")});
    EXPECT_EQ(chain.missing, "no worker has distilbert");
    EXPECT_EQ(chain.models.front().name, "finbert");
    EXPECT_EQ(chain.models.back().name, "vader");
    EXPECT_EQ(chain_of(policy, {}).models.front().name, "vader");
    const auto strict = resolve(
        "desk", parse_policy({{"model", "distilbert"}, {"fallback", json::array()}}).value(), {},
        0);
    ASSERT_FALSE(strict);
    EXPECT_EQ(strict.error().front().pointer, "/model");
}

TEST(SentimentPolicy, RefusesInvalidDefinitions) {
    EXPECT_EQ(refusal_of(desk()), "");
    EXPECT_EQ(refusal_of({{"model", "vader"}, {"rules", {{{"model", "finbert"}}}}}),
              "/rules/0 condition");
    EXPECT_EQ(refusal_of({{"model", "a"}, {"fallback", {"b", "c", "b"}}}), "/fallback/2 loop");
    EXPECT_EQ(refusal_of({{"model", "a"}, {"fallback", {"vader", "b"}}}),
              "/fallback/1 unreachable");
    const auto over = [](const char* from, const char* until) {
        return json{
            {"model", "a"},
            {"overrides", {{{"from", from}, {"until", until}, {"market_status", "closed"}}}}};
    };
    EXPECT_EQ(refusal_of(over("2026-03-02T10:00:00Z", "2026-03-02T10:00:00Z")),
              "/overrides/0/until after_from");
    EXPECT_EQ(refusal_of(over("1985-03-02T10:00:00Z", "2026-03-02T10:00:00Z")),
              "/overrides/0 range");
    const auto own = [](json change) {
        json calendar{{"time_zone", "Europe/Berlin"},
                      {"weekdays", {"monday", "friday"}},
                      {"open", "09:00"},
                      {"close", "17:30"}};
        calendar.update(change);
        return json{{"model", "a"}, {"custom_calendar", std::move(calendar)}};
    };
    EXPECT_EQ(refusal_of(own(json::object())), "");
    EXPECT_EQ(refusal_of(own({{"time_zone", "Europe/Nowhere"}})),
              "/custom_calendar/time_zone time_zone");
    EXPECT_EQ(refusal_of(own({{"open", "18:00"}})), "/custom_calendar order");
    EXPECT_EQ(refusal_of(own({{"closed", {"2026-12-24", "2026-12-24"}}})),
              "/custom_calendar/closed unique");
    EXPECT_EQ(refusal_of(own({{"closed", {"2026-02-30"}}})), "/custom_calendar/closed date");
    auto both = own(json::object());
    both["calendar"] = "nyse";
    EXPECT_EQ(refusal_of(both), "/custom_calendar one_of");
}

TEST(SentimentPolicy, ACustomCalendarDecides) {
    const json policy{{"model", "vader"},
                      {"rules", {{{"markets", {"regular"}}, {"model", "finbert"}}}},
                      {"custom_calendar",
                       {{"time_zone", "Europe/Berlin"},
                        {"weekdays", {"monday"}},
                        {"open", "09:00"},
                        {"close", "17:30"},
                        {"closed", {"2026-03-09"}},
                        {"early_closes", {{{"date", "2026-03-16"}, {"close", "12:00"}}}}}}};
    auto by = chooser(policy, {model("finbert")});
    EXPECT_EQ(chosen(by, "2026-03-02T08:00:00Z", ""), "finbert (rule 1: market regular)");
    EXPECT_EQ(chosen(by, "2026-03-02T07:59:59Z", ""), "vader (no rule matches)");
    EXPECT_EQ(chosen(by, "2026-03-03T08:00:00Z", ""), "vader (no rule matches)");
    EXPECT_EQ(chosen(by, "2026-03-09T08:00:00Z", ""), "vader (no rule matches)");
    EXPECT_EQ(chosen(by, "2026-03-16T10:59:59Z", ""), "finbert (rule 1: market regular)");
    EXPECT_EQ(chosen(by, "2026-03-16T11:00:00Z", ""), "vader (no rule matches)");
}

TEST(SentimentPolicy, APreviewReportsTheNextSwitch) {
    const std::vector<Manifest> models{model("distilbert")};
    const auto preview =
        preview_policy(desk(), models, {.at = moment(kTrading), .days = 7, .source = "reuters"})
            .value();
    EXPECT_EQ(preview["choice"]["model"], "distilbert");
    EXPECT_EQ(preview["choice"]["market_until"], "2026-03-02T21:00:00.000Z");
    EXPECT_EQ(preview["next_switch"]["from"], "2026-03-03T01:00:00.000Z");
    EXPECT_EQ(preview["next_switch"]["model"], "vader");
    EXPECT_EQ(preview["spans"].back()["until"], "2026-03-09T15:00:00.000Z");
    for (std::size_t i = 1; i < preview["spans"].size(); ++i)
        EXPECT_EQ(preview["spans"][i]["from"], preview["spans"][i - 1]["until"]);
}

TEST(SentimentPolicy, AJobOnTextsWithoutTimesIsPlannedForOneModel) {
    const json args{{"texts", {"a", "b"}}, {"policy", "desk"}};
    const std::vector<Manifest> models{model("finbert"), model("distilbert", 6)};
    const auto open = planned(args, planning_context(models));
    EXPECT_EQ(open.requirement.device_class, "gpu,cpu");
    EXPECT_EQ(open.requirement.capability, "model distilbert dddddddddddd");
    const auto closed = planned(args, planning_context(models, desk(), kClosed));
    EXPECT_EQ(closed.requirement.device_class, "host") << "no device while the policy says VADER";
    EXPECT_EQ(closed.requirement.capability, "");
}

TEST(SentimentPolicy, AJobOnTextsWithTimesNeedsEveryModelThatTheyUse) {
    const std::vector<Manifest> models{model("finbert"), model("distilbert", 6)};
    const auto item = [](const char* time, const char* source) {
        return json{{"text", "a"}, {"time", time}, {"source", source}};
    };
    const auto requirement = [&](const json& items) {
        return planned({{"items", items}, {"policy", "desk"}}, planning_context(models))
            .requirement;
    };
    EXPECT_EQ(requirement({item(kTrading, "businesswire"), item(kTrading, "x")}).capability,
              "model distilbert dddddddddddd,model finbert ffffffffffff");
    EXPECT_EQ(requirement({item(kClosed, "x"), item(kTrading, "x")}).capability,
              "model distilbert dddddddddddd");
    EXPECT_EQ(requirement({item(kClosed, "x"), item("1980-01-01T00:00:00Z", "x")}).device_class,
              "host");
}

TEST(SentimentPolicy, ADatasetWithTimesNeedsEveryModelOfThePolicy) {
    const std::vector<Manifest> models{model("finbert"), model("distilbert", 6)};
    const json args{{"dataset", "data_1"}, {"policy", "desk"}};
    const auto plan = [&](const std::vector<std::string>& columns) {
        return contract()
            .plan_dataset(args, planning_context(models),
                          {"data_1", "news", text::RecordFormat::csv, columns})
            .value()
            .plan;
    };
    EXPECT_EQ(plan({"text", "time"}).requirement.capability,
              "model distilbert dddddddddddd,model finbert ffffffffffff");
    EXPECT_EQ(json::parse(plan({"text", "time"}).args)["source"]["time"], "time");
    EXPECT_EQ(plan({"text", "when"}).requirement.capability, "model distilbert dddddddddddd");
}

TEST(SentimentPolicy, ModelAndPolicyTogetherAndUnknownOnesAreRefused) {
    const auto refused = [](const json& args, const PlanningContext& known) {
        const auto error = contract().plan(args, known).error().front();
        return error.pointer + ": " + error.message;
    };
    EXPECT_THAT(refused({{"model", "vader"}, {"policy", "desk"}}, planning_context({})),
                HasSubstr("/policy: Give a model or a policy"));
    EXPECT_THAT(refused({{"policy", "desc"}}, planning_context({})),
                HasSubstr("/policy: The team has no policy \"desc\". Its policies: server, desk."));
    EXPECT_THAT(refused({{"policy", "desk"}},
                        planning_context({}, {{"model", "finbert"}, {"fallback", json::array()}})),
                HasSubstr("/policy: No worker has a model \"finbert\""));
}

TEST(SentimentPolicy, TheSettingsOfTheServerMakeAPolicy) {
    KindSettings settings;
    auto known = planning_context({model("finbert"), model("distilbert")});
    known.settings = &settings;
    const json args{{"texts", {"a"}}};
    const auto scored_by = [&](const std::string& at) {
        known.at = moment(at);
        const auto plan = json::parse(planned(args, known).args);
        if (!plan.contains("policy")) return plan["model"].get<std::string>();
        auto by = Chooser::of(plan["policy"].get<ResolvedPolicy>()).value();
        return by.policy().id + " " + chosen(by, {}, "");
    };
    EXPECT_EQ(scored_by(kTrading), "finbert");
    settings.values["sentiment.model"] = "distilbert";
    EXPECT_EQ(scored_by(kTrading), "distilbert");
    settings.values["sentiment.adaptive"] = "1";
    EXPECT_EQ(scored_by(kTrading), "server distilbert (rule 1: market regular)");
    EXPECT_EQ(scored_by(kClosed), "server vader (no rule matches)");
    settings.values["sentiment.market_status"] = "open";
    EXPECT_EQ(scored_by(kClosed), "server distilbert (rule 1: market regular)");
    settings.values["sentiment.model_open"] = "finbert";
    EXPECT_EQ(scored_by(kClosed), "server finbert (rule 1: market regular)");
    settings.values["sentiment.uses_models"] = "0";
    EXPECT_EQ(scored_by(kTrading), "vader");
}

TEST(SentimentPolicy, SettingsAreChecked) {
    EXPECT_TRUE(check_market_status(""));
    EXPECT_TRUE(check_market_status("extended"));
    EXPECT_FALSE(check_market_status("weekend"));
    EXPECT_FALSE(check_model_name("FinBERT!"));
    EXPECT_FALSE(check_switch("2"));
}

struct Scored {
    std::vector<json> rows;
    json summary;
};

// By a worker without a device, which can load no model.
Scored score(const Plan& plan) {
    const Run& run = *find_run("sentiment", kVersion);
    Scored scored;
    std::string lines;
    std::vector<std::string> partials;
    for (const auto& task : plan.tasks) {
        Progress progress;
        RunContext context{.device = nullptr, .progress = progress, .stop = {}};
        const auto output = run_task(run, plan.args, task.input, context).value();
        EXPECT_EQ(output.items_ok + output.items_failed, task.items);
        EXPECT_EQ(progress.done(), task.items);
        lines += gunzip(output.results, 1 << 28).value();
        partials.push_back(output.partial);
    }
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) scored.rows.push_back(json::parse(line));
    scored.summary = json::parse(merge_tasks(run, plan.args, partials)->summary);
    return scored;
}

TEST(SentimentPolicy, EveryRowHasTheRequestedModelTheOneUsedAndTheReason) {
    const json items{{{"text", "A great day!"}, {"time", kClosed}},
                     {{"text", "An awful day."}, {"time", kTrading}, {"source", "reuters"}},
                     {{"text", "Too early."}, {"time", "1980-01-01T00:00:00Z"}},
                     {{"text", "Another great day!"}, {"source", "businesswire"}}};
    const auto scored = score(
        planned({{"items", items}, {"policy", "desk"}}, planning_context({model("finbert")})));
    ASSERT_EQ(scored.rows.size(), 4U);
    EXPECT_EQ(scored.rows[0]["model"], "vader");
    EXPECT_EQ(scored.rows[0]["model_asked"], "vader");
    EXPECT_EQ(scored.rows[0]["model_reason"], "no rule matches");
    EXPECT_EQ(scored.rows[0]["time"], kClosed);
    EXPECT_EQ(scored.rows[0]["label"], "positive");
    EXPECT_EQ(scored.rows[1]["model_asked"], "distilbert");
    EXPECT_EQ(scored.rows[1]["model"], "vader");
    EXPECT_EQ(scored.rows[1]["label"], "negative");
    EXPECT_THAT(scored.rows[1]["model_reason"].get<std::string>(),
                HasSubstr("rule 2: market regular; no worker has distilbert; finbert: "));
    EXPECT_EQ(scored.rows[1]["source"], "reuters");
    EXPECT_EQ(scored.rows[2]["error_code"], "invalid_time");
    EXPECT_EQ(scored.rows[3]["model_asked"], "finbert");
    const auto& summary = scored.summary;
    EXPECT_EQ(summary["model"], "vader");
    EXPECT_EQ(summary["policy"], (json{{"id", "desk"}, {"at", "2026-03-02T15:00:00.000Z"}}));
    ASSERT_EQ(summary["choices"].size(), 3U);
    EXPECT_EQ(summary["choices"][0]["rule"], nullptr);
    EXPECT_EQ(summary["choices"][0]["items"], 1);
    EXPECT_EQ(summary["choices"][2]["asked"], "distilbert");
}

// Each text keeps its own score whatever model it gets and however tasks are cut.
TEST(SentimentPolicy, ScoresStayWithTheirTexts) {
    std::mt19937 random(7);
    const std::vector<std::string> texts{"A great day!", "An awful day.", "A day."};
    const std::vector<std::string> labels{"positive", "negative", "neutral"};
    const std::vector<const char*> times{kTrading, kClosed};
    const std::vector<const char*> sources{"businesswire", "reuters"};
    json items = json::array();
    std::vector<std::string> expected;
    for (int i = 0; i < 9000; ++i) {
        const auto which = random() % texts.size();
        items.push_back({{"custom_id", std::to_string(i)},
                         {"text", texts[which]},
                         {"time", times[random() % 2]},
                         {"source", sources[random() % 2]}});
        expected.push_back(labels[which]);
    }
    const auto plan = planned({{"items", items}, {"policy", "desk"}}, planning_context({}));
    EXPECT_GT(plan.tasks.size(), 1U);
    const auto scored = score(plan);
    ASSERT_EQ(scored.rows.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(scored.rows[i]["custom_id"], std::to_string(i));
        ASSERT_EQ(scored.rows[i]["label"], expected[i]) << i;
    }
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment::policy_test
