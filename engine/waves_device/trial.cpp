#include "engine/waves_device/trial.hpp"

#include "engine/waves/significance/surrogates.hpp"

#include <chrono>
#include <functional>

namespace plimsoll::waves {
namespace {

constexpr std::size_t kBars = 500;
constexpr std::size_t kWalks = 16;
constexpr std::size_t kKept = 256;
constexpr double kScoreTolerance = 1e-9;

// A series, its table and where to start: every bar.
struct Walk {
    Series series;
    BarTable table;
    Itinerary itinerary;

    Walk(const SurrogateMaker& maker, std::uint64_t number, const Settings& settings) {
        maker.make(Random(settings.seed, "trial", number), series);
        table.build(series.low, series.high);
        itinerary = make_itinerary(table, series.close, 5, settings);
    }
    SearchInput input() const { return {series.low, series.high, &itinerary, &table}; }
};

// Bars of some height, rounded to hundredths so that prices are equal now and then; shuffled, they
// are walks.
Series some_bars() {
    Series series;
    Random random(1, "trial", 0);
    double price = 100;
    for (std::size_t i = 0; i < kBars; ++i) {
        const double open = price;
        price *= 1 + 0.02 * (random.uniform() - 0.5);
        const auto rounded = [](double it) { return std::round(it * 100) / 100; };
        series.open.push_back(rounded(open));
        series.close.push_back(rounded(price));
        series.high.push_back(rounded(std::max(open, price) * (1 + 0.004 * random.uniform())));
        series.low.push_back(rounded(std::min(open, price) * (1 - 0.004 * random.uniform())));
    }
    return series;
}

double seconds(const std::function<void()>& work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

bool near(double a, double b) {
    return std::abs(a - b) <= kScoreTolerance;
}

bool same(const std::vector<Found>& a, const std::vector<Found>& b) {
    return std::ranges::equal(a, b, [](const Found& x, const Found& y) {
        return x.same_count(y) && near(x.score, y.score);
    });
}

bool same(const SearchResult& a, const SearchResult& b) {
    return same(a.counts, b.counts) && same(a.open, b.open) && a.more == b.more &&
           std::ranges::equal(a.best, b.best, near) && a.coverage.nodes == b.coverage.nodes &&
           a.coverage.valid == b.coverage.valid && a.coverage.pruned == b.coverage.pruned;
}

}  // namespace

Result<Rates> try_out(SearchDevice& device, Mode mode) {
    Settings settings;
    settings.mode = mode;
    if (mode == Mode::compatible) settings.weights = Weights::compatible();
    const SurrogateMaker maker(some_bars(), SurrogateMethod::shuffle, 0);
    std::vector<Walk> walks;
    for (std::size_t i = 0; i < kWalks; ++i) walks.emplace_back(maker, i, settings);
    std::vector<SearchInput> inputs;
    for (const Walk& walk : walks) inputs.push_back(walk.input());
    const auto one = std::span(inputs).first(1);

    // The first call builds the kernels.
    if (const auto built = device.search(one, settings, kKept, {}); !built)
        return fail(built.error());
    if (const auto built = device.best_scores(one, settings, {}); !built)
        return fail(built.error());

    Result<std::vector<SearchResult>> counted;
    Result<std::vector<std::array<double, kKinds>>> scored;
    const double first = seconds([&] { scored = device.best_scores(one, settings, {}); });
    const double counting = seconds([&] { counted = device.search(inputs, settings, kKept, {}); });
    const double scoring = seconds([&] { scored = device.best_scores(inputs, settings, {}); });
    if (!counted) return fail(counted.error());
    if (!scored) return fail(scored.error());

    bool equal = true;
    const double core_counting = seconds([&] {
        for (std::size_t i = 0; i < kWalks; ++i) {
            const auto it = search(walks[i].table, walks[i].itinerary, settings, kKept);
            equal = equal && it && same(*it, (*counted)[i]);
        }
    });
    const double core_scoring = seconds([&] {
        BarTable table;
        for (std::size_t i = 0; i < kWalks; ++i) {
            table.build(walks[i].series.low, walks[i].series.high);
            const auto it = best_scores(table, walks[i].itinerary, settings);
            equal = equal && std::ranges::equal(it, (*scored)[i], near);
        }
    });
    if (!equal)
        return fail(Errc::unavailable, "The device's counts on random walks differ from the CPU's.",
                    device.name());

    const double work = Work::of(walks.front().itinerary) * kWalks;
    const double begin = std::max(0.0, (first * kWalks - scoring) / (kWalks - 1));
    const double least = 1e-12;  // seconds; keeps rates above 0
    return Rates{begin, std::max(least, (counting - begin) / work),
                 std::max(least, (scoring - begin) / work), core_counting / work,
                 core_scoring / work};
}

}  // namespace plimsoll::waves
