#include "engine/waves/significance/chance.hpp"

#include <algorithm>
#include <numeric>

namespace plimsoll::waves {

std::string_view verdict(double p_value) {
    if (p_value > 0.1) return "chance level";
    if (p_value > 0.05) return "weak";
    return p_value > 0.01 ? "unusual" : "very unusual";
}

void add_chance(const std::array<double, kKinds>& scores, double highest,
                std::span<const Judged> judged, std::span<Chance> chances) {
    for (std::size_t j = 0; j < judged.size(); ++j) {
        chances[j].k += highest >= judged[j].standing;
        chances[j].k_kind += scores[judged[j].kind] >= judged[j].score;
    }
}

void add_chances(const SurrogateMaker& maker, const Series& series, const Settings& settings,
                 double week, std::uint32_t from, std::uint32_t to, std::span<const Judged> judged,
                 std::span<Chance> chances, std::span<double> best, const Watch& watch) {
    BarTable table;
    Series surrogate;
    for (std::uint32_t i = from; i < to && !watch.stopped(); ++i) {
        const std::uint32_t number = settings.first_surrogate + i;
        maker.make(Random(settings.seed, series.symbol, number), surrogate);
        table.build(surrogate.low, surrogate.high);
        const auto itinerary = make_itinerary(table, surrogate.close, week, settings);
        const auto scores = best_scores(table, itinerary, settings, watch);
        const double highest =
            best_standing(scores, rarity_of(table, itinerary.longest_window(), settings));
        best[i - from] = highest;
        add_chance(scores, highest, judged, chances);
    }
}

std::vector<double> false_discovery_rates(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return p_values[a] != p_values[b] ? p_values[a] < p_values[b] : a < b;
    });
    std::vector<double> rates(p_values.size());
    double min = 1;
    for (std::size_t rank = order.size(); rank-- > 0;) {
        const auto count = static_cast<double>(p_values.size());
        min = std::min(min, p_values[order[rank]] * count / static_cast<double>(rank + 1));
        rates[order[rank]] = min;
    }
    return rates;
}

}  // namespace plimsoll::waves
