// Against scikit-learn and SciPy, whose figures reference.py recorded.
#include "engine/sentiment/agreement.hpp"

#include <cmath>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::sentiment {
namespace {

using nlohmann::json;

constexpr double kExact = 1e-12;

std::vector<json> references() {
    std::ifstream file("tests/unit/engine/sentiment/agreement/reference.json");
    return json::parse(file).get<std::vector<json>>();
}

void expect_equal(const std::optional<double>& ours, const json& theirs) {
    ASSERT_EQ(ours.has_value(), !theirs.is_null()) << theirs;
    if (ours) EXPECT_NEAR(*ours, theirs.get<double>(), kExact);
}

TEST(Agreement, LabelsAsScikitLearnCountsThem) {
    for (const json& reference : references()) {
        const Table table = reference.at("table");
        expect_equal(agreement(table), reference.at("accuracy"));
        expect_equal(kappa(table), reference.at("kappa"));
        expect_equal(macro_f1(table), reference.at("macro_f1"));
        const auto scores = class_scores(table);
        for (std::size_t i = 0; i < kClasses; ++i) {
            EXPECT_NEAR(scores[i].precision, reference.at("precision")[i].get<double>(), kExact);
            EXPECT_NEAR(scores[i].recall, reference.at("recall")[i].get<double>(), kExact);
            EXPECT_NEAR(scores[i].f1, reference.at("f1")[i].get<double>(), kExact);
        }
    }
}

TEST(Agreement, CalibrationAsScikitLearnsCurve) {
    constexpr std::size_t kBins = 10;
    for (const json& reference : references()) {
        std::vector<CalibrationBin> bins(kBins);
        for (std::size_t i = 0; i < reference.at("right").size(); ++i) {
            const auto confidence = reference.at("confidence")[i].get<std::int64_t>();
            auto& bin = bins[static_cast<std::size_t>(confidence) * kBins / kConfidenceScale];
            ++bin.texts;
            bin.right += reference.at("right")[i].get<std::int64_t>();
            bin.confidence += confidence;
        }
        expect_equal(calibration_error(bins), reference.at("expected_error"));
    }
}

TEST(Agreement, CorrelationAsScipys) {
    for (const json& reference : references()) {
        Sums sums;
        for (std::size_t i = 0; i < reference.at("x").size(); ++i) {
            const auto x = reference.at("x")[i].get<std::int64_t>();
            const auto y = reference.at("y")[i].get<std::int64_t>();
            sums = {sums.count + 1,  sums.x + x,      sums.y + y,
                    sums.xx + x * x, sums.yy + y * y, sums.xy + x * y};
        }
        expect_equal(correlation(sums), reference.at("correlation"));
    }
}

TEST(Agreement, CorrelationOfAMillionEqualPairsIsExactlyOne) {
    // Sums of squares of this size are not exact in a double.
    constexpr std::int64_t kCount = 1'000'000;
    Sums sums;
    for (std::int64_t i = 0; i < kCount; ++i) {
        const auto x = 9999 - i % 3;
        sums = {sums.count + 1,  sums.x + x,      sums.y + x,
                sums.xx + x * x, sums.yy + x * x, sums.xy + x * x};
    }
    expect_equal(correlation(sums), 1.0);
}

TEST(Agreement, NoTextsGiveNoResult) {
    EXPECT_FALSE(agreement({}));
    EXPECT_FALSE(kappa({}));
    EXPECT_FALSE(macro_f1({}));
    EXPECT_FALSE(share_interval(0, 0));
    EXPECT_FALSE(calibration_error(std::vector<CalibrationBin>(3)));
    EXPECT_FALSE(correlation({.count = 2, .x = 4, .y = 3, .xx = 8, .yy = 5, .xy = 6}));
    // Both always say the same one class: chance explains all.
    EXPECT_FALSE(kappa({{{5, 0, 0}, {0, 0, 0}, {0, 0, 0}}}));
}

TEST(Agreement, IntervalsHaveTheStatedCoverage) {
    // Wilson's of 8 out of 10, from Newcombe (1998), table I: 0.4902 to 0.9433.
    const auto interval = share_interval(8, 10);
    EXPECT_NEAR(interval->low, 0.4902, 5e-5);
    EXPECT_NEAR(interval->high, 0.9433, 5e-5);
    EXPECT_EQ(share_interval(0, 10)->low, 0);
    EXPECT_DOUBLE_EQ(share_interval(10, 10)->high, 1);

    // How often the interval of a difference of 0 holds it, over all outcomes of 60 pairs of which
    // each is gained or lost with a probability of 1/10.
    constexpr std::int64_t kPairs = 60;
    double held = 0;
    for (std::int64_t gained = 0; gained <= kPairs; ++gained) {
        for (std::int64_t lost = 0; lost <= kPairs - gained; ++lost) {
            const auto difference = accuracy_difference(gained, lost, kPairs);
            if (difference.low > 0 || difference.high < 0) continue;
            const auto rest = kPairs - gained - lost;
            held += std::exp(std::lgamma(kPairs + 1) - std::lgamma(gained + 1) -
                             std::lgamma(lost + 1) - std::lgamma(rest + 1) +
                             static_cast<double>(gained + lost) * std::log(0.1) +
                             static_cast<double>(rest) * std::log(0.8));
        }
    }
    EXPECT_NEAR(held, 0.95, 0.02);
}

}  // namespace
}  // namespace plimsoll::sentiment
