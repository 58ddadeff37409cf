#include "engine/waves/series/price_reader.hpp"
#include "tests/unit/engine/waves/all_counts.hpp"
#include "tests/unit/engine/waves/naive.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::waves::testing {
// googletest shows counts by this.
void PrintTo(const NaiveCount& count, std::ostream* out) {
    *out << count.rule;
    for (int pivot : count.pivots) *out << ' ' << pivot;
}

namespace {

constexpr std::size_t kBars = 40;

int rounds() { return std::getenv("PLIMSOLL_LONG_TESTS") != nullptr ? 2000 : 60; }

template <class Name>
std::vector<NaiveCount> found_counts(const Series& series, const Settings& settings, Name name) {
    std::vector<NaiveCount> out;
    for (const Found& found : all_counts(series, settings).counts)
        out.push_back({name(found), pivots(found)});
    std::ranges::sort(out);
    return out;
}

TEST(BruteForce, FindsTheSameInTheCompatibleMode) {
    std::size_t seen = 0;
    for (int round = 0; round < rounds(); ++round) {
        for (const Kind kind : {Kind::ohlc, Kind::close_only, Kind::coarse}) {
            const auto series = random_series(static_cast<std::uint64_t>(round), kBars, kind);
            for (const int up_to : {1, 3, 100}) {
                const auto expected = naive_compatible(series.low, series.high, up_to);
                ASSERT_EQ(found_counts(series, compatible_settings(up_to), compatible_rule),
                          expected)
                    << "seed " << round;
                seen += expected.size();
            }
        }
    }
    EXPECT_GT(seen, 1000u);
}

TEST(BruteForce, FindsTheSameInTheStandardMode) {
    std::map<std::string, int> seen;
    for (int round = 0; round < rounds(); ++round) {
        for (const Kind kind : {Kind::ohlc, Kind::close_only, Kind::coarse}) {
            const auto series = random_series(static_cast<std::uint64_t>(round), kBars, kind);
            const auto expected = naive_standard(series.low, series.high, 100);
            ASSERT_EQ(found_counts(series, {},
                                   [](const Found& found) {
                                       return std::string(to_string(found.shape)) +
                                              (found.rising ? " up" : " down");
                                   }),
                      expected)
                << "seed " << round;
            for (const auto& count : expected) ++seen[count.rule];
        }
    }
    // Every pattern in both directions was there to be found.
    EXPECT_EQ(seen.size(), 12u);
}

namespace fs = std::filesystem;

const fs::path kOurs = "tests/unit/engine/waves/data";
const fs::path kOthers = "../shared/truth/waves";  // third-party prices, not in the repository

struct Expected {
    double fibonacci = 0, time = 0, ensemble = 0;
};
using Truth = std::map<std::pair<std::string, std::vector<int>>, Expected>;

std::string contents(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.good()) << path;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Series read_series(const fs::path& path) {
    auto prices = read_prices(contents(path), PriceFormat::csv, {.symbol = path.stem()});
    EXPECT_TRUE(prices.has_value());
    EXPECT_TRUE(prices->front().ok());
    return prices->front().series;
}

Parts parts_of(const Series& series, const Found& found) {
    BarTable table;
    table.build(series.low, series.high);
    return count_parts(table, found, Mode::compatible);
}

void expect_equal(const Series& series, Truth truth) {
    const std::size_t count = truth.size();
    const auto result = all_counts(series, compatible_settings(15));
    EXPECT_EQ(result.counts.size(), count);
    for (const Found& found : result.counts) {
        const auto it = truth.find({compatible_rule(found), pivots(found)});
        ASSERT_NE(it, truth.end()) << "extra " << compatible_rule(found) << " at " << found.at[0];
        const Parts parts = parts_of(series, found);
        EXPECT_NEAR(found.score, it->second.ensemble, 1e-9);
        EXPECT_NEAR(parts[Part::fibonacci], it->second.fibonacci, 1e-9);
        EXPECT_NEAR(parts[Part::time], it->second.time, 1e-9);
        truth.erase(it);
    }
    EXPECT_TRUE(truth.empty()) << truth.size() << " are missing";
}

TEST(Truth, RandomWalk) {
    Truth truth;
    std::istringstream lines(contents(kOurs / "RW00_up_to_15.csv"));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        std::string rule, ends, fibonacci, time, ensemble;
        std::getline(fields, rule, ',');
        std::getline(fields, ends, ',');
        std::getline(fields, fibonacci, ',');
        std::getline(fields, time, ',');
        std::getline(fields, ensemble, ',');
        std::istringstream numbers(ends);
        std::vector<int> at;
        for (int pivot = 0; numbers >> pivot;) at.push_back(pivot);
        truth[{rule, at}] = {std::stod(fibonacci), std::stod(time), std::stod(ensemble)};
    }
    ASSERT_EQ(truth.size(), 1416u);
    expect_equal(read_series(kOurs / "RW00.csv"), std::move(truth));
}

TEST(Truth, SeriesOutsideTheRepository) {
    if (!fs::exists(kOthers)) GTEST_SKIP() << "left out: " << kOthers << " is not here";
    int files = 0;
    for (const auto& entry : fs::directory_iterator(kOthers)) {
        if (entry.path().extension() != ".json") continue;
        SCOPED_TRACE(entry.path().filename());
        const auto json = nlohmann::json::parse(contents(entry.path()));
        Truth truth;
        for (const auto& p : json["patterns"])
            truth[{p["rule"], p["pivots"].get<std::vector<int>>()}] = {p["fib"], p["time"],
                                                                       p["ensemble"]};
        EXPECT_EQ(json["up_to"], 15);
        expect_equal(read_series(kOthers / json["csv"].get<std::string>()), std::move(truth));
        ++files;
    }
    EXPECT_GT(files, 0);
}

}  // namespace

}  // namespace plimsoll::waves::testing
