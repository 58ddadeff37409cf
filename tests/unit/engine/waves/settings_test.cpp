#include "engine/waves/scan/windows.hpp"
#include "engine/waves/settings/keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::waves {
namespace {

using nlohmann::json;

// Every key of the wave pipeline's configuration files, with the values of the fast one.
const json kGuide = json::parse(R"({
    "days": 365, "slide_weeks": 1, "min_weeks": 4, "max_weeks": 12, "grow_weeks": 1, "up_to": 20,
    "top_n": 10, "delay": 0.1, "processes": 30, "concurrency": 30, "max_combinations": 500000,
    "max_windows": 2000, "cpu_batch_size": 2048, "cpu_top_k": 256, "window_overlap_ratio": 0.5,
    "enable_multi_start": true, "max_start_points": 8, "scan_pattern_types": "all",
    "use_gpu": true, "gpu_batch_size": 20000,
    "gpu_enabled_stages": ["fibonacci_scoring", "rule_checking", "ensemble_scoring"],
    "use_shared_memory": true, "chunk_size": 0, "min_volatility": 0, "skip_flat_windows": true,
    "profile": true, "save_images": false, "save_images_top_n": 1, "out_dir": "output",
    "pre_score_top_k": 10000, "pre_score_threshold": 0.1,
    "pre_score_weights": [0.4, 0.3, 0.2, 0.1], "ticker_workers": 62, "max_seconds_per_scan": 10})");

TEST(Settings, AcceptsEveryKeyOfTheGuide) {
    Settings settings;
    const auto notes = apply_settings(kGuide, settings);
    ASSERT_TRUE(notes.has_value()) << notes.error().message;
    EXPECT_EQ(settings.max_start_points, 8);
    EXPECT_EQ(settings.window_overlap, 0.5);
    EXPECT_EQ(settings.pre_score_top_k, 10000);
    EXPECT_EQ(settings.max_combinations, 500000u);
    EXPECT_TRUE(settings.windowed);
    EXPECT_FALSE(settings.every_bar);
    // Whatever changes nothing says so, with a reason.
    std::set<std::string> silent;
    for (const KeyNote& note : *notes) {
        EXPECT_FALSE(note.reason.empty());
        silent.insert(note.key);
    }
    EXPECT_THAT(silent, ::testing::UnorderedElementsAre(
                            "grow_weeks", "delay", "concurrency", "cpu_batch_size", "cpu_top_k",
                            "gpu_batch_size", "gpu_enabled_stages", "use_shared_memory",
                            "chunk_size", "ticker_workers", "max_seconds_per_scan"));
}

TEST(Settings, RefusesWrongValuesAndNamesTheKey) {
    for (const auto& [key, value] :
         std::vector<std::pair<std::string, json>>{{"days", -1},
                                                   {"days", 1.5},
                                                   {"days", "x"},
                                                   {"max_weeks", 0},
                                                   {"up_to", -1},
                                                   {"window_overlap_ratio", 1},
                                                   {"window_overlap_ratio", -0.1},
                                                   {"max_start_points", 0},
                                                   {"enable_multi_start", 1},
                                                   {"scan_pattern_types", "triangles"},
                                                   {"scan_pattern_types", json::array()},
                                                   {"use_gpu", "maybe"},
                                                   {"gpu_enabled_stages", "all"},
                                                   {"pre_score_weights", {1, 2}},
                                                   {"pre_score_threshold", 1.1},
                                                   {"weights", {{"luck", 1}}},
                                                   {"weights", {{"fibonacci", 0}, {"time", 0}}},
                                                   {"mode", "fast"},
                                                   {"seed", -1},
                                                   {"surrogate_method", "magic"},
                                                   {"out_dir", ""},
                                                   {"processes", 5000},
                                                   {"no_such_key", 1}}) {
        Settings settings;
        const auto notes = apply_settings({{key, value}}, settings);
        ASSERT_FALSE(notes.has_value()) << key << " " << value;
        EXPECT_EQ(notes.error().where, "/" + key);
        EXPECT_THAT(notes.error().message, ::testing::HasSubstr("\"" + key + "\""));
    }
}

TEST(Settings, AWrongMemberLeavesTheOthersUntouched) {
    Settings settings;
    EXPECT_FALSE(apply_settings({{"days", 5}, {"up_to", -1}}, settings).has_value());
    EXPECT_EQ(settings.days, 0);
}

TEST(Settings, TheModeSetsWeightsThatOtherMembersChange) {
    Settings settings;
    ASSERT_TRUE(apply_settings({{"mode", "compatible"}, {"weights", {{"time", 0.4}}}}, settings)
                    .has_value());
    EXPECT_EQ(settings.weights[Part::rules], 0.3);
    EXPECT_EQ(settings.weights[Part::time], 0.4);
}

TEST(Settings, PresetsAreThoseOfTheGuide) {
    for (std::string_view name : preset_names()) {
        Settings settings;
        EXPECT_TRUE(apply_preset(name, settings).has_value()) << name;
    }
    Settings fast;
    ASSERT_TRUE(apply_preset("high-perf", fast).has_value());
    EXPECT_TRUE(fast.windowed);
    EXPECT_EQ(fast.max_start_points, 8);
    EXPECT_TRUE(fast.skip_flat_windows);
    Settings speed;
    ASSERT_TRUE(apply_preset("speed", speed).has_value());
    EXPECT_FALSE(speed.multi_start);
    EXPECT_EQ(speed.window_overlap, 0);
    EXPECT_FALSE(apply_preset("fastest", speed).has_value());
}

TEST(Settings, TakesAssignments) {
    Settings settings;
    const std::vector<std::string> given{"top_n=3", "mode=compatible",
                                         "scan_pattern_types=[\"zigzag\",\"flat\"]"};
    ASSERT_TRUE(apply_settings(read_assignments(given).value(), settings).has_value());
    EXPECT_EQ(settings.top_n, 3);
    EXPECT_EQ(settings.mode, Mode::compatible);
    EXPECT_FALSE(read_assignments(std::vector<std::string>{"top_n"}).has_value());
}

TEST(Settings, KeysOfWindowsSearchInWindows) {
    const auto searched = [](const json& given) {
        Settings settings;
        EXPECT_TRUE(apply_settings(given, settings).has_value()) << given;
        return std::pair(settings.windowed, !settings.every_bar);
    };
    using Scope = std::pair<bool, bool>;  // in windows, from points
    EXPECT_EQ(searched({{"days", 365}, {"skip_flat_windows", true}}), Scope(false, false));
    for (const char* key : {"min_weeks", "slide_weeks", "max_windows"})
        EXPECT_EQ(searched({{key, 2}}), Scope(true, false)) << key;
    EXPECT_EQ(searched({{"window_overlap_ratio", 0.5}}), Scope(true, false));
    EXPECT_EQ(searched({{"max_start_points", 8}}), Scope(false, true));
    EXPECT_EQ(searched({{"enable_multi_start", false}}), Scope(false, true));
    EXPECT_EQ(searched({{"max_windows", 9}, {"windows", "whole"}}), Scope(false, false));
    EXPECT_EQ(searched({{"max_start_points", 9}, {"starts", "every"}}), Scope(false, false));
}

TEST(Settings, KeysWithoutEffectAreNamed) {
    const auto silent = [](const json& given) {
        Settings settings;
        std::set<std::string> keys;
        const auto notes = apply_settings(given, settings).value();
        for (const KeyNote& note : notes) keys.insert(note.key);
        return keys;
    };
    using ::testing::ElementsAre;
    using ::testing::IsEmpty;
    EXPECT_THAT(silent({{"max_windows", 9}, {"bars_per_week", 5}}), IsEmpty());
    EXPECT_THAT(silent({{"max_windows", 9}, {"windows", "whole"}}), ElementsAre("max_windows"));
    EXPECT_THAT(silent({{"seed", 3}, {"surrogate_method", "random_walk"}}),
                ElementsAre("seed", "surrogate_method"));
    EXPECT_THAT(silent({{"surrogates", 9}, {"seed", 3}, {"block_bars", 4}}),
                ElementsAre("block_bars"));
    EXPECT_THAT(silent({{"surrogates", 9},
                        {"block_bars", 4},
                        {"surrogate_method", "block_bootstrap"},
                        {"seed", 3}}),
                IsEmpty());
    EXPECT_THAT(silent({{"pre_score_weights", {1, 0, 0, 0}}}), ElementsAre("pre_score_weights"));
    EXPECT_THAT(silent({{"bars_per_week", 5}}), ElementsAre("bars_per_week"));
    EXPECT_THAT(silent({{"max_start_points", 9}, {"starts", "every"}}),
                ElementsAre("max_start_points"));
    EXPECT_THAT(silent({{"max_start_points", 9}, {"enable_multi_start", false}}),
                ElementsAre("max_start_points"));
    EXPECT_THAT(silent({{"start_bars", {1}}, {"max_weeks", 9}}), ElementsAre("start_bars"));
    EXPECT_THAT(silent({{"start_bars", {1}}, {"max_start_points", 9}}),
                ElementsAre("max_start_points"));
}

TEST(Settings, TheOrderOfAssignmentsDoesNotMatter) {
    const std::string shorter = "max_weeks=1";
    const std::string shortest = "min_weeks=1";
    for (const auto& given : {std::vector{shorter, shortest}, std::vector{shortest, shorter}}) {
        Settings settings;
        ASSERT_TRUE(apply_settings(read_assignments(given).value(), settings).has_value());
        EXPECT_EQ(settings.max_weeks, 1);
    }
    Settings settings;
    EXPECT_FALSE(
        apply_settings(read_assignments(std::vector{shorter}).value(), settings).has_value());
}

TEST(Windows, StepAndLengthAreThoseOfTheGuide) {
    Settings settings;
    settings.mode = Mode::compatible;
    settings.windowed = true;
    settings.window_overlap = 0.3;
    // 84 bars, every int(7 * 0.7) = 4 bars, the last ones at least 28 bars long.
    const auto windows = make_windows(500, bars_per_week({}, settings), settings);
    ASSERT_EQ(windows.size(), 119u);
    EXPECT_EQ(windows[1].begin, 4);
    EXPECT_EQ(windows[1].end, 88);
    EXPECT_EQ(windows.back().end - windows.back().begin, 28);
    settings.window_overlap = 0.5;
    EXPECT_EQ(make_windows(500, 7, settings).size(), 158u);
    settings.max_windows = 10;
    EXPECT_EQ(make_windows(500, 7, settings).size(), 10u);
}

TEST(Windows, WeeksComeFromTheDates) {
    Series series;
    for (int day = 0; day < 700; ++day)
        if (day % 7 < 5) series.time.push_back(day * 86400);
    series.close.resize(series.time.size());
    EXPECT_EQ(bars_per_week(series, {}), 5);
    EXPECT_EQ(first_bar(series, 7), static_cast<std::int32_t>(series.size()) - 5);
}

}  // namespace
}  // namespace plimsoll::waves
