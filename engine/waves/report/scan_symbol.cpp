#include "engine/waves/report/scan_symbol.hpp"

#include "engine/waves/scan/count_parts.hpp"

#include <ctime>

namespace plimsoll::waves {
namespace {

constexpr std::size_t kFewestBars = 4;  // start, A, B, C
constexpr std::size_t kFirstPool = 256;
constexpr std::size_t kOpenReported = 5;

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Keeps the bars from `first` on.
void drop_before(std::size_t first, Series& series) {
    const auto drop = [&](auto& column) {
        if (!column.empty())
            column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(first));
    };
    drop(series.time);
    drop(series.open);
    drop(series.high);
    drop(series.low);
    drop(series.close);
}

std::optional<std::string> unfit(const Series& series, const Settings& settings) {
    const std::size_t n = series.size();
    if (n < kFewestBars)
        return "The series has " + std::to_string(n) + (n == 1 ? " bar" : " bars") +
               "; a count needs at least " + std::to_string(kFewestBars) + ".";
    const std::size_t most = settings.windowed ? kMostBars : kMostBarsWhole;
    if (n > most)
        return "The series has " + std::to_string(n) + " bars; at most " + std::to_string(most) +
               (settings.windowed
                    ? " are searched."
                    : " are searched as a whole. Search in windows, or the last days.");
    return {};
}

class Describer {
  public:
    Describer(const BarTable& table, const Series& series, Mode mode)
        : table_(table), series_(series), mode_(mode) {}

    CountReport describe(const Ranked& ranked) const {
        const Found& found = ranked.count;
        const Pattern& pattern = *find_pattern(found.shape, found.rising, mode_);
        const Path path = path_of(table_, found);
        const double sign = found.rising ? 1 : -1;
        CountReport report{.count = found,
                           .prices = {},
                           .skips = skips_of(path, found.waves),
                           .parts = count_parts(table_, found, mode_),
                           .rules = {},
                           .outlook = outlook(pattern, path, found.waves, found.rising,
                                              sign * series_.close.back(), table_.size()),
                           .alternates = ranked.alternates,
                           .chance = {}};
        for (int i = 0; i <= found.waves; ++i) report.prices.push_back(sign * path.price[i]);
        for (int i = 0; i < pattern.rule_count; ++i) {
            const Rule& rule = pattern.rules[i];
            if (rule.depth() > found.waves) continue;
            report.rules.push_back(
                {rule.name, rule.text,
                 has_margin(rule) ? std::optional(margin(rule, path)) : std::nullopt});
        }
        return report;
    }

  private:
    const BarTable& table_;
    const Series& series_;
    Mode mode_;
};

// The ranking is exact as long as the pool holds enough: where too much of it overlaps, search
// again with a larger one.
Result<SearchResult> search_and_rank(const BarTable& table, const Itinerary& itinerary,
                                     const Settings& settings, std::vector<Ranked>& ranking,
                                     const Watch& watch) {
    const bool all = settings.top_n == 0;
    const std::size_t most = all ? kMostCandidates : static_cast<std::size_t>(settings.top_n);
    std::size_t pool = all ? kMostCandidates : std::max(kFirstPool, 4 * most);
    while (true) {
        auto result = search(table, itinerary, settings, pool, watch);
        if (!result) return result;
        // Spans never overlap by more than 1: then nothing is displaced.
        ranking = rank(result->counts, most, all ? 1 : settings.max_overlap,
                       static_cast<std::size_t>(settings.alternates));
        if (ranking.size() == most || !result->more || pool >= kMostCandidates) return result;
        pool = std::min(pool * 16, kMostCandidates);
    }
}

}  // namespace

Result<SymbolReport> scan_symbol(SymbolPrices prices, const Settings& settings,
                                 const Watch& watch) {
    const double began = processor_seconds();
    SymbolReport report;
    report.symbol = prices.series.symbol;
    report.errors = std::move(prices.errors);
    report.error_count = prices.error_count;
    if (!report.ok()) return report;
    report.series = std::move(prices.series);
    report.offset = static_cast<std::size_t>(first_bar(report.series, settings.days));
    drop_before(report.offset, report.series);
    report.flags = flag(report.series);
    if (auto message = unfit(report.series, settings)) {
        report.errors.push_back({0, std::move(*message)});
        report.error_count = 1;
        return report;
    }

    const Series& series = report.series;
    BarTable table;
    table.build(series.low, series.high);
    const auto itinerary =
        make_itinerary(table, series.close, bars_per_week(series, settings), settings);
    std::vector<Ranked> ranking;
    auto found = search_and_rank(table, itinerary, settings, ranking, watch);
    if (!found) return fail(found.error());

    const Describer describer(table, series, settings.mode);
    for (const Ranked& ranked : ranking) report.counts.push_back(describer.describe(ranked));
    for (const Ranked& ranked : rank(found->open, kOpenReported, settings.max_overlap,
                                     static_cast<std::size_t>(settings.alternates)))
        report.open.push_back(describer.describe(ranked));
    const Rarity rarity = rarity_of(table, itinerary.longest_window(), settings);
    report.by_rarity = rarity.known();
    for (int shape = 0; shape < kShapes; ++shape) {
        for (const bool rising : {true, false}) {
            const auto it = static_cast<Shape>(shape);
            if (find_pattern(it, rising, settings.mode) == nullptr) continue;
            const std::size_t kind = kind_index(it, rising);
            const double best = found->best[kind];
            report.kinds.push_back({.shape = it,
                                    .rising = rising,
                                    .valid = found->coverage.valid[kind],
                                    .best = best,
                                    .standing = rarity.standing(it, waves_of(it), best),
                                    .chance = {}});
        }
    }
    report.coverage = std::move(found->coverage);
    report.ranking_cut = found->more && ranking.size() < static_cast<std::size_t>(settings.top_n);
    report.seconds = processor_seconds() - began;
    return report;
}

}  // namespace plimsoll::waves
