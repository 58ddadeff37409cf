// The kind as the server and a worker use it: plan, run every task, merge.
#include "engine/text/record_block.hpp"
#include "engine/waves/output/json.hpp"
#include "engine/waves/report/scan.hpp"
#include "tests/unit/server/kinds/waves/kind_case.hpp"

namespace plimsoll::jobs::waves {
namespace {

TEST(WavesKind, FindsTheEnginesCountsForAnyCut) {
    const std::string csv = walks(40, 90);
    const json args = {{"prices", csv}, {"surrogates", 20}, {"top_n", 3}};
    const Plan planned = plan(args).value();
    EXPECT_GT(planned.tasks.size(), 2u);
    const Outcome outcome = run_all(planned);
    ASSERT_EQ(outcome.rows.size(), 40u);

    engine::Settings settings;
    settings.surrogates = 20;
    settings.top_n = 3;
    Progress progress;
    const auto reports =
        engine::scan(engine::read_prices(csv, engine::PriceFormat::csv, {}).value(), settings,
                     progress)
            .value();
    std::map<std::string, double> rates;
    for (const json& ranked : outcome.report["ranking"])
        if (!ranked["false_discovery_rate"].is_null())
            rates[ranked["symbol"]] = ranked["false_discovery_rate"];
    for (std::size_t i = 0; i < reports.size(); ++i) {
        EXPECT_EQ(outcome.rows[i]["index"], i);
        json expected = engine::output::symbol_json(reports[i], false);
        if (expected.contains("false_discovery_rate")) {
            EXPECT_EQ(rates.at(reports[i].symbol), expected["false_discovery_rate"]);
            expected.erase("false_discovery_rate");
        }
        EXPECT_EQ(outcome.rows[i]["report"], expected) << reports[i].symbol;
    }
    const json& ranking = outcome.report["ranking"];
    const auto rank = [](const json& symbol) {
        const json& best = symbol["best"];
        return std::tuple(symbol["live"].is_null(), best["invalidated"].get<bool>(),
                          best["p_value"].get<double>());
    };
    EXPECT_TRUE(std::ranges::is_sorted(ranking, {}, rank));
    EXPECT_FALSE(ranking.front()["live"].is_null());
    EXPECT_TRUE(ranking.back()["live"].is_null());
    EXPECT_EQ(outcome.report["symbols"], 40);
    EXPECT_TRUE(outcome.report["complete"].get<bool>());
}

// Two walks whose surrogates several tasks share, one without a count, one broken.
json shared_args() {
    return {{"prices", walks(2, 300) + "flat,1\nflat,1\nflat,1\nflat,1\nflat,1\nbad,0\n"},
            {"mode", "compatible"},
            {"surrogates", 2000},
            {"top_n", 3}};
}

TEST(WavesKind, SharedSurrogatesOfAFewSymbolsGiveTheSame) {
    const json args = shared_args();
    const Plan planned = plan(args).value();
    std::int64_t items = 0;
    for (const TaskSpec& task : planned.tasks) items += task.items;
    EXPECT_GE(planned.tasks.size(), 5u);
    EXPECT_EQ(items, 4);
    EXPECT_EQ(planned.tasks.back().items, 4);
    const Outcome shared = run_all(planned);
    ASSERT_EQ(shared.rows.size(), 4u);
    EXPECT_EQ(shared.failed, 1);

    // The same in one task.
    auto settings = engine::Settings{};
    ASSERT_TRUE(engine::apply_settings({{"mode", "compatible"}, {"surrogates", 2000}, {"top_n", 3}},
                                       settings));
    Progress progress;
    const auto reports = engine::scan(engine::read_prices(args["prices"].get<std::string>(),
                                                          engine::PriceFormat::csv, {})
                                          .value(),
                                      settings, progress)
                             .value();
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(shared.rows[i]["index"], i);
        json expected = engine::output::symbol_json(reports[i], false);
        expected.erase("false_discovery_rate");
        EXPECT_EQ(shared.rows[i]["report"], expected) << reports[i].symbol;
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const json& row = shared.rows[i];
        const json& chance = row["report"]["counts"][0]["chance"];
        EXPECT_EQ(chance["surrogates"], 2000);
        EXPECT_EQ(row["p_value"], chance["p_value"]);
        EXPECT_EQ(row["verdict"], chance["verdict"]);
        const json& lines = shared.report["ranking"];
        const auto line =
            std::ranges::find(lines, row["symbol"], [](const json& it) { return it["symbol"]; });
        ASSERT_NE(line, lines.end());
        EXPECT_EQ((*line)["best"]["p_value"], chance["p_value"]);
        EXPECT_EQ((*line)["best"]["explanation"], chance["explanation"]);
        EXPECT_EQ((*line)["cells"][0]["p_value"],
                  row["report"]["patterns"][0].value("p_value_pattern", json()));
        EXPECT_FALSE((*line)["false_discovery_rate"].is_null());
    }
    EXPECT_TRUE(shared.rows[2]["p_value"].is_null());
    EXPECT_EQ(shared.rows[3]["error_code"], "invalid_prices");
    EXPECT_EQ(shared.report["symbols"], 4);
    EXPECT_EQ(shared.report["bars"], 605);
}

// A quarantined task: the surrogates of the others count.
TEST(WavesKind, SurrogatesOfAQuarantinedTaskAreMissingEverywhere) {
    Plan planned = plan(shared_args()).value();
    planned.tasks.erase(planned.tasks.begin());
    const Outcome outcome = run_all(planned);
    const json& chance = outcome.rows[0]["report"]["counts"][0]["chance"];
    const int left = chance["surrogates"];
    EXPECT_LT(left, 2000);
    EXPECT_GT(left, 0);
    EXPECT_EQ(chance["p_value"], engine::Chance::p_value(chance["k"], left));
    EXPECT_EQ(outcome.rows[1]["report"]["counts"][0]["chance"]["surrogates"], 2000);
    const TaskSpec& share = planned.tasks.front();
    EXPECT_EQ(find_contract("waves")->failed_rows(planned.args, share.input, "It died.").value(),
              "");
}

TEST(WavesKind, EveryRowHasTheContractsColumns) {
    const Contract& contract = *find_contract("waves");
    const Outcome outcome = run_all(plan({{"prices", walks(2, 60) + "bad,0\nshort,1\n"}}).value());
    ASSERT_EQ(outcome.rows.size(), 4u);
    EXPECT_EQ(outcome.failed, 2);
    for (const json& row : outcome.rows)
        for (const Column& column : contract.columns)
            EXPECT_TRUE(row.contains(std::string(column.name))) << column.name;
    EXPECT_EQ(outcome.rows[2]["error_code"], "invalid_prices");
    EXPECT_NE(outcome.rows[2]["error"].get<std::string>().find("zero or negative"),
              std::string::npos);
    EXPECT_EQ(outcome.report["errors"][1]["custom_id"], "short");
    EXPECT_EQ(outcome.report["ranking"].size(), 2u);
}

TEST(WavesKind, TheRowsOfASymbolMayBeAnywhereInADataset) {
    // By date, as many vendors write files: the rows of a symbol are spread over all chunks.
    std::istringstream csv(walks(3, 80));
    std::vector<std::string> lines;
    std::string line;
    std::getline(csv, line);
    while (std::getline(csv, line)) lines.push_back(line);
    const json args = {{"dataset", "data_x"}, {"symbols", {"W0", "W2"}}};
    auto gatherer =
        find_contract("waves")
            ->plan_dataset(args, {},
                           {"data_x", "walks.csv", text::RecordFormat::csv, {"symbol", "close"}})
            .value()
            .gatherer;
    std::uint64_t index = 0;
    for (std::size_t bar = 0; bar < 80; ++bar) {
        for (std::size_t symbol = 0; symbol < 3; ++symbol) {
            text::RecordView record;
            record.index = index++;
            record.text = lines[symbol * 80 + bar];
            ASSERT_TRUE(gatherer->take(record));
        }
    }
    const Outcome gathered = run_all(gatherer->finish().value());
    const Outcome given =
        run_all(plan({{"prices", walks(3, 80)}, {"symbols", {"W0", "W2"}}}).value());
    EXPECT_EQ(gathered.rows, given.rows);
    EXPECT_EQ(gathered.rows.size(), 2u);
}

TEST(WavesKind, AnUnreadableRecordIsReported) {
    auto gatherer =
        find_contract("waves")
            ->plan_dataset({{"dataset", "data_x"}}, {},
                           {"data_x", "walks.csv", text::RecordFormat::csv, {"symbol", "close"}})
            .value()
            .gatherer;
    text::RecordView record;
    record.is_error = true;
    record.line = 7;
    record.error_message = "it has 3 fields.";
    ASSERT_TRUE(gatherer->take(record));
    const Outcome outcome = run_all(gatherer->finish().value());
    EXPECT_EQ(outcome.rows[0]["symbol"], "walks");
    EXPECT_EQ(outcome.rows[0]["error"].get<std::string>().substr(0, 7), "Line 7:");
}

TEST(WavesKind, SeriesMayBeSentAsArrays) {
    json closes = json::array();
    std::istringstream csv(walks(1, 60));
    std::string line;
    std::getline(csv, line);
    while (std::getline(csv, line)) closes.push_back(std::stod(line.substr(line.find(',') + 1)));
    const Outcome outcome =
        run_all(plan({{"series", {{{"symbol", "W0"}, {"close", closes}}}}}).value());
    const Outcome text = run_all(plan({{"prices", walks(1, 60)}}).value());
    EXPECT_EQ(outcome.rows, text.rows);
}

TEST(WavesKind, WrongArgumentsNameTheirField) {
    const auto refused = [](const json& args) { return plan(args).error()[0].pointer; };
    const std::string csv = walks(1, 20);
    EXPECT_EQ(plan(json::object()).error()[0].rule, "one_of");
    EXPECT_EQ(refused({{"prices", "date,low,volume\n1,2,3\n"}}), "/prices");
    EXPECT_EQ(refused({{"prices", csv}, {"top_n", 101}}), "/top_n");
    EXPECT_EQ(refused({{"prices", csv}, {"max_overlap", 2}}), "/max_overlap");
    EXPECT_EQ(refused({{"prices", csv}, {"preset", "warp"}}), "/preset");
    EXPECT_EQ(refused({{"prices", csv}, {"time_zone", "Mars/Olympus"}}), "/time_zone");
    EXPECT_EQ(refused({{"prices", csv}, {"symbols", {"none"}}}), "/symbols");
    EXPECT_EQ(refused({{"prices", csv}, {"scan_pattern_types", "triangles"}}),
              "/scan_pattern_types");
}

TEST(WavesKind, EveryCountIsBoundedAndSaysSo) {
    const json row = run_all(plan({{"prices", walks(1, 300)}, {"top_n", 0}}).value()).rows[0];
    EXPECT_EQ(row["report"]["counts"].size(), 100u);
    EXPECT_EQ(row["report"]["ranking_note"],
              "Only the best 100 counts are listed; there are more.");
    const json few = run_all(plan({{"prices", walks(1, 12)}, {"top_n", 0}}).value()).rows[0];
    EXPECT_LT(few["report"]["counts"].size(), 100u);
    EXPECT_FALSE(few["report"].contains("ranking_note"));
}

TEST(WavesKind, UnknownSymbolsAreAllNamed) {
    const auto message = [](const json& symbols) {
        return plan({{"prices", walks(2, 20)}, {"symbols", symbols}}).error()[0].message;
    };
    EXPECT_EQ(message({"W0", "X", "Y"}), "There are no symbols \"X\", \"Y\".");
    EXPECT_EQ(message({"W11"}), "There is no symbol \"W11\". Did you mean \"W1\"?");
}

TEST(WavesKind, SettingsWithoutEffectAreNamed) {
    const Outcome outcome = run_all(plan({{"prices", walks(1, 40)},
                                          {"preset", "high-perf"},
                                          {"gpu_batch_size", 1000},
                                          {"out_dir", "charts"}})
                                        .value());
    std::set<std::string> keys;
    for (const json& note : outcome.report["ignored_settings"]) keys.insert(note["key"]);
    EXPECT_EQ(keys, (std::set<std::string>{"gpu_batch_size", "out_dir"}));
}

TEST(WavesKind, ALongSymbolStaysInItsTaskAndALongNameFails) {
    const std::string csv = walks(1, 30'000) + std::string(65, 'x') + ",1\n";
    const Plan planned = plan({{"prices", csv}, {"days", 200}}).value();
    EXPECT_EQ(planned.tasks.size(), 2u);
    const Outcome outcome = run_all(planned);
    EXPECT_EQ(outcome.rows[0]["bars"], 200);
    EXPECT_NE(outcome.rows[1]["error"].get<std::string>().find("longer than 64"),
              std::string::npos);
}

TEST(WavesKind, LongSeriesAreDrawnFromMergedBars) {
    const Outcome outcome = run_all(plan({{"prices", walks(1, 2500)}, {"top_n", 2}}).value());
    const json& row = outcome.rows[0];
    EXPECT_EQ(row["prices"]["step"], 3);
    EXPECT_LE(row["prices"]["close"].size(), 1000u);
    EXPECT_EQ(row["close_ups"].size(), row["report"]["live"].size() +
                                           row["report"]["counts"].size() +
                                           row["report"]["in_progress"].size());
}

TEST(WavesKind, RowsOfAQuarantinedTaskKeepTheirPlace) {
    const Plan planned = plan({{"prices", walks(2, 20) + "bad,0\n"}}).value();
    const std::string rows = find_contract("waves")
                                 ->failed_rows(planned.args, planned.tasks[0].input, "It died.")
                                 .value();
    std::istringstream lines(rows);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(json::parse(line)["error_code"], "quarantined");
    std::getline(lines, line);
    std::getline(lines, line);
    EXPECT_EQ(json::parse(line)["error_code"], "invalid_prices");
    EXPECT_EQ(json::parse(line)["index"], 2);
}

TEST(WavesKind, DamagedInputIsNotRun) {
    Progress progress;
    RunContext context{.device = nullptr, .progress = progress, .stop = {}};
    EXPECT_FALSE(
        run_task(*find_run("waves", kVersion), "{}", gzip("nonsense"), context).has_value());
    std::string huge(12, '\xff');
    EXPECT_FALSE(unpack_slice(gzip(huge)).has_value());
}

}  // namespace
}  // namespace plimsoll::jobs::waves
