#include "engine/waves/report/scan.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <gtest/gtest.h>

namespace plimsoll::waves {
namespace {

struct Leg {
    double length;  // in lengths of the first wave
    int bars;
};
struct Plan {
    Shape shape;
    std::vector<Leg> legs;
};
// Golden ratios of lengths and times, as the books draw them.
const Plan kPlans[] = {
    {Shape::impulse, {{1, 8}, {0.618, 5}, {1.618, 13}, {0.618, 8}}},
    {Shape::impulse, {{1, 8}, {0.618, 5}, {1.618, 13}, {0.618, 8}, {1, 8}}},
    {Shape::zigzag, {{1, 13}, {0.5, 8}, {1, 13}}},
};

// A random walk that ends with a drawn count, and some bars of what the count expects.
struct Drawn {
    Series series;
    Found count;

    Drawn(std::uint64_t seed, const Plan& plan, bool rising)
        : series(testing::random_series(seed, 100 + 10 * (seed % 30))) {
        std::mt19937_64 bits(seed);
        const auto some = [&](double low, double high) {
            return low + (high - low) * static_cast<double>(bits() >> 11) / 9007199254740992.0;
        };
        const double first = 0.2 * series.close.back();
        price_ = series.close.back();
        double side = rising ? 1 : -1;
        move(-side * 0.5 * first, 5);
        count = {.shape = plan.shape, .rising = rising};
        count.at[0] = last();
        for (const Leg& leg : plan.legs) {
            move(side * first * leg.length * some(0.96, 1.04), leg.bars);
            count.at[++count.waves] = last();
            side = -side;
        }
        move(side * first * some(0.05, 0.15), 2 + static_cast<int>(seed % 4));
    }

    // Goes on against what the count expects.
    void break_off() {
        const bool peak = (count.waves % 2 == 1) == count.rising;
        const auto end = static_cast<std::size_t>(count.end());
        move(1.1 * ((peak ? series.high[end] : series.low[end]) - price_), 2);
    }

  private:
    std::int32_t last() const { return static_cast<std::int32_t>(series.size()) - 1; }
    void move(double length, int bars) {
        for (int i = 0; i < bars; ++i) {
            const double open = price_;
            price_ += length / bars;
            series.open.push_back(open);
            series.close.push_back(price_);
            series.low.push_back(std::min(open, price_));
            series.high.push_back(std::max(open, price_));
            series.time.push_back(series.time.back() + 86400);
        }
    }

    double price_ = 0;
};

SymbolReport scanned(Series series) {
    std::vector<SymbolPrices> symbols(1);
    symbols[0].series = std::move(series);
    Progress progress;
    return scan(std::move(symbols), Settings{}, progress).value().front();
}

TEST(Live, ADrawnCountIsShownFirst) {
    constexpr int kSeries = 200;
    int first = 0;
    int over = 0;
    for (int i = 0; i < kSeries; ++i) {
        const Plan& plan = kPlans[static_cast<std::size_t>(i / 2) % std::size(kPlans)];
        Drawn drawn(static_cast<std::uint64_t>(i), plan, i % 2 == 0);
        const auto report = scanned(drawn.series);
        // The ends of a zigzag are those of three waves of an impulse as well: either is right.
        first += !report.live.empty() && report.live.front().count.at == drawn.count.at &&
                 report.live.front().count.rising == drawn.count.rising;
        drawn.break_off();
        for (const CountReport& it : scanned(drawn.series).live)
            over += it.count.same_count(drawn.count);
    }
    RecordProperty("first", first);
    EXPECT_GE(first, kSeries * 95 / 100);
    EXPECT_EQ(over, 0);
}

}  // namespace
}  // namespace plimsoll::waves
