#include "engine/waves/series/price_rows.hpp"

#include "engine/waves/series/timestamps.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::waves {
namespace {

// The first rule that the prices break, or nothing. Fills in what close-only data leave out.
std::string_view broken_rule(PriceRow& row) {
    if (std::isnan(row.close)) return "it has no close.";
    const bool has_high = !std::isnan(row.high);
    if (has_high != !std::isnan(row.low)) return "it has only one of high and low.";
    if (!has_high) row.high = row.low = row.close;
    if (std::isnan(row.open))
        row.open = has_high ? std::clamp(row.close, row.low, row.high) : row.close;
    for (double price : {row.open, row.high, row.low, row.close}) {
        if (!std::isfinite(price)) return "a price is not finite.";
        if (price <= 0) return "a price is zero or negative.";
    }
    if (row.high < row.low) return "its high is below its low.";
    return {};
}

// Nights and weekends of a series by the hour belong to it: breaks of about the same length, an
// hour more or less where clocks change, that come at least every other week. Those that do not are
// gaps.
void flag_gaps(const std::vector<std::int64_t>& time, SeriesFlags& flags) {
    if (time.size() <= 2) return;
    std::vector<std::int64_t> steps(time.size() - 1);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = time[i + 1] - time[i];
    std::ranges::sort(steps);
    const std::int64_t usual = steps[(steps.size() - 1) / 2];
    constexpr std::int64_t kHour = 3600;
    constexpr std::int64_t kFortnight = 14 * 24 * kHour;
    const std::int64_t often = std::max<std::int64_t>(2, (time.back() - time.front()) / kFortnight);
    const auto breaks = std::ranges::upper_bound(steps, 5 * usual);
    for (auto it = breaks; it != steps.end(); ++it) {
        const std::int64_t about = kHour + usual;
        const auto first = std::lower_bound(breaks, steps.end(), *it - about);
        const auto last = std::upper_bound(breaks, steps.end(), *it + about);
        if (usual < 24 * kHour && last - first >= often) continue;
        ++flags.gaps;
        flags.longest_gap = *it;
    }
}

}  // namespace

std::string PriceRows::broken_date(const SymbolPrices& prices, const PriceRow& row) const {
    const Series& series = prices.series;
    if (series.size() > 0 && row.time.has_value() == series.time.empty())
        return "some rows have a date and others have none.";
    if (!row.time || series.time.empty()) return {};
    if (prices.newest_first ? series.time.back() > *row.time : series.time.back() < *row.time)
        return {};
    constexpr std::int64_t kDay = 86'400;
    const bool dates =
        *row.time % kDay == 0 && series.time.front() % kDay == 0 && series.time.back() % kDay == 0;
    const auto told = [&](std::int64_t time) {
        return format_timestamp(time, dates ? zones::Zone{} : series.zone);
    };
    if (series.time.back() == *row.time) return "the date " + told(*row.time) + " occurs twice.";
    return "its date " + told(*row.time) + " is " + (prices.newest_first ? "after" : "before") +
           " that of the row above, " + told(series.time.back()) + "; rows must be sorted by date.";
}

// Taken from the first row; a row with another zone, or none, makes it UTC for good.
void PriceRows::note_zone(Series& series, const PriceRow& row) const {
    const zones::Zone named = row.zone.value_or(zones::Zone{});
    if (zone_ || named == series.zone) return;
    series.zone = series.size() == 0 ? named : zones::Zone{};
}

SymbolPrices& PriceRows::of(std::string_view symbol) {
    if (last_ < symbols_.size() && symbols_[last_].series.symbol == symbol) return symbols_[last_];
    auto found = index_.find(symbol);
    if (found == index_.end()) {
        found = index_.emplace(std::string(symbol), symbols_.size()).first;
        symbols_.emplace_back().series.symbol = symbol;
        symbols_.back().series.zone = zone_.value_or(zones::Zone{});
    }
    last_ = found->second;
    return symbols_[last_];
}

void PriceRows::fail(std::string_view symbol, std::uint64_t line, std::string message) {
    SymbolPrices& prices = of(symbol);
    if (++prices.error_count <= kKeptErrors) prices.errors.push_back({line, std::move(message)});
}

void PriceRows::add(std::string_view symbol, const PriceRow& given) {
    SymbolPrices& prices = of(symbol);
    Series& series = prices.series;
    PriceRow row = given;
    const bool close_only = std::isnan(row.high) && std::isnan(row.low);
    if (const auto broken = broken_rule(row); !broken.empty())
        return fail(symbol, row.line, "The row cannot be used: " + std::string(broken));
    if (series.time.size() == 1 && row.time) prices.newest_first = *row.time < series.time.front();
    // Of an hour that comes twice, the instant that follows the row above.
    const bool was_there = !series.time.empty() && row.time && series.time.back() >= *row.time;
    if (row.time_again && (prices.newest_first ? *row.time_again < series.time.back() : was_there))
        row.time = row.time_again;
    if (auto broken = broken_date(prices, row); !broken.empty())
        return fail(symbol, row.line, "The row cannot be used: " + broken);
    note_zone(series, row);
    if (series.size() == 0) {
        series.close_only = close_only;
    } else if (series.close_only != close_only) {
        return fail(
            symbol, row.line,
            "The row cannot be used: some rows have a high and a low, others only a close.");
    }
    if (row.time) series.time.push_back(*row.time);
    series.open.push_back(row.open);
    series.high.push_back(row.high);
    series.low.push_back(row.low);
    series.close.push_back(row.close);
}

std::vector<SymbolPrices> PriceRows::take() {
    for (SymbolPrices& prices : symbols_) {
        if (prices.newest_first) {
            Series& s = prices.series;
            std::ranges::reverse(s.time);
            for (auto* column : {&s.open, &s.high, &s.low, &s.close}) std::ranges::reverse(*column);
        }
        prices.flags = flag(prices.series);
        prices.series.tell_times_in(prices.series.zone);
    }
    index_.clear();
    last_ = 0;
    return std::exchange(symbols_, {});
}

SeriesFlags flag(const Series& series) {
    SeriesFlags flags;
    const std::size_t n = series.size();
    for (std::size_t i = 0; i < n; ++i)
        for (double price : {series.open[i], series.close[i]})
            if (price < series.low[i] || price > series.high[i]) {
                ++flags.outside;
                break;
            }
    // A split shows as an opening at a half, a third … or a multiple of the close before it.
    constexpr std::array kRatios = {1.5, 2.0,  2.5,  3.0,  4.0,  5.0,  6.0,  7.0,
                                    8.0, 10.0, 15.0, 20.0, 25.0, 30.0, 50.0, 100.0};
    constexpr double kNear = 0.02;
    for (std::size_t i = 1; i < n; ++i) {
        const double up = series.open[i] / series.close[i - 1];
        const double ratio = std::max(up, 1 / up);
        if (std::ranges::any_of(kRatios, [&](double r) { return std::abs(ratio / r - 1) < kNear; }))
            flags.splits.push_back(i);
    }
    flag_gaps(series.time, flags);
    return flags;
}

}  // namespace plimsoll::waves
