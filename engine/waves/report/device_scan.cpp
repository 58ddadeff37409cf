#include "engine/waves/report/device_scan.hpp"

#include "engine/waves/report/chance_judge.hpp"
#include "engine/waves/report/parallel.hpp"
#include "engine/waves/report/scan.hpp"

#include <algorithm>
#include <memory>

namespace plimsoll::waves {
namespace {

// Most bars prepared at a time: 160 bytes each.
constexpr std::size_t kBarsAtATime = 1 << 18;
// Of chance series, at 32 bytes; a GPU wants many at once.
constexpr std::size_t kChanceBarsAtATime = 1 << 20;

// The number of leading symbols to search at a time: until they have kBarsAtATime bars.
std::size_t block_of(std::span<const SymbolPrices> symbols) {
    std::size_t bars = 0;
    std::size_t count = 0;
    while (count < symbols.size() && (count == 0 || bars < kBarsAtATime))
        bars += symbols[count++].series.size();
    return count;
}

// Searches the rest of a block with increasingly larger pools.
Result<void> search_block(SearchDevice& device, std::span<SymbolSearch> block,
                          const Settings& settings, const Watch& watch) {
    std::vector<SymbolSearch*> left;
    for (SymbolSearch& it : block)
        if (it.report.ok()) left.push_back(&it);
    for (std::size_t pool = first_pool(settings); !left.empty(); pool = larger_pool(pool)) {
        std::vector<SearchInput> inputs;
        for (const SymbolSearch* it : left)
            inputs.push_back(
                {it->report.series.low, it->report.series.high, &it->itinerary, &it->table});
        TRY(auto found, device.search(inputs, settings, pool, watch));
        std::vector<SymbolSearch*> again;
        for (std::size_t i = 0; i < left.size(); ++i)
            if (!left[i]->rank(std::move(found[i]), pool, settings)) again.push_back(left[i]);
        left = std::move(again);
    }
    return {};
}

// Whether the windows and starts of a search do not depend on prices: then series of equal length
// share them.
bool goes_alike(const Settings& settings) {
    return (settings.every_bar || (!settings.start_bars.empty() && !settings.windowed)) &&
           !settings.skip_flat_windows && settings.min_volatility <= 0 &&
           settings.pre_score_threshold <= 0 && settings.pre_score_top_k == 0;
}

// A chance series of a symbol with its windows and starts.
struct ChanceSeries {
    std::size_t symbol = 0;
    std::uint32_t number = 0;
    Series series;
    std::shared_ptr<const Itinerary> itinerary;
};

std::shared_ptr<const Itinerary> itinerary_of(const Series& series, double week,
                                              const Settings& settings) {
    BarTable table;
    table.build(series.low, series.high);
    return std::make_shared<Itinerary>(make_itinerary(table, series.close, week, settings));
}

std::string words_of(const Error& error) {
    return error.code == Errc::cancelled ? "" : error.message;
}

}  // namespace

std::string search_on(SearchDevice& device, std::span<const SymbolPrices> symbols,
                      const Settings& settings, std::size_t threads, const Watch& watch,
                      std::span<SymbolReport> reports, std::size_t& searched) {
    while (searched < symbols.size()) {
        const auto rest = symbols.subspan(searched);
        const auto prices = rest.first(block_of(rest));
        std::vector<SymbolSearch> block(prices.size());
        parallel_for(block.size(), threads,
                     [&](std::size_t i) { block[i] = prepare(prices[i], settings); });
        if (const auto done = search_block(device, block, settings, watch); !done)
            return words_of(done.error());
        parallel_for(block.size(), threads, [&](std::size_t i) {
            reports[searched + i] = describe(std::move(block[i]), settings);
        });
        searched += block.size();
    }
    return "";
}

std::string judge_on(SearchDevice& device, std::span<SymbolReport* const> symbols,
                     const Settings& settings, std::size_t threads, Progress& progress,
                     const Watch& watch, std::size_t& judged) {
    const auto total = static_cast<std::uint32_t>(settings.surrogates);
    std::vector<std::unique_ptr<ChanceJudge>> judges(symbols.size());
    std::vector<std::shared_ptr<const Itinerary>> shared(symbols.size());
    std::vector<ChanceSeries> batch;
    for (std::size_t next = 0; next < symbols.size() * total;) {
        batch.clear();
        for (std::size_t bars = 0; next < symbols.size() * total && bars < kChanceBarsAtATime;
             ++next) {
            const std::size_t s = next / total;
            if (!judges[s]) {
                judges[s] = std::make_unique<ChanceJudge>(*symbols[s], settings);
                const Series& own = symbols[s]->series;
                if (goes_alike(settings))
                    shared[s] = itinerary_of(own, bars_per_week(own, settings), settings);
            }
            bars += symbols[s]->series.size();
            batch.push_back({s, static_cast<std::uint32_t>(next % total), {}, shared[s]});
        }
        parallel_for(batch.size(), threads, [&](std::size_t i) {
            ChanceSeries& it = batch[i];
            judges[it.symbol]->make(it.number, it.series);
            if (it.itinerary) return;
            const double week = bars_per_week(symbols[it.symbol]->series, settings);
            it.itinerary = itinerary_of(it.series, week, settings);
        });
        std::vector<SearchInput> inputs;
        for (const ChanceSeries& it : batch)
            inputs.push_back({it.series.low, it.series.high, it.itinerary.get(), nullptr});
        const auto scores = device.best_scores(inputs, settings, watch);
        if (!scores) return words_of(scores.error());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const ChanceSeries& it = batch[i];
            const Rarity rarity =
                rarity_of(it.series.low, it.series.high, it.itinerary->longest_window(), settings);
            judges[it.symbol]->note(it.number, (*scores)[i], best_standing((*scores)[i], rarity));
            if (it.number + 1 < total) continue;
            judges[it.symbol]->finish();
            judges[it.symbol].reset();
            progress.advance(1);
            ++judged;
        }
    }
    return "";
}

}  // namespace plimsoll::waves
