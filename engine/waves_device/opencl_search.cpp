#include "engine/waves_device/opencl_search.hpp"

#include "engine/waves/significance/surrogates.hpp"
#include "engine/waves_device/gathering.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

#include <malloc.h>

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

bool near(double a, double b) { return std::abs(a - b) <= kScoreTolerance; }

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
    TRY_DO(device.search(one, settings, kKept, {}));
    TRY_DO(device.best_scores(one, settings, {}));

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
    const double min = 1e-12;  // seconds; keeps rates above 0
    return Rates{begin, std::max(min, (counting - begin) / work),
                 std::max(min, (scoring - begin) / work), core_counting / work,
                 core_scoring / work};
}

namespace {

// Device memory for the counts of one call: 40 bytes each.
constexpr std::size_t kMaxCounts = 12'000'000;

// Families in the order of their directions: one for both, or one each.
struct Pass {
    FamilyView family;
    std::vector<bool> directions;
};
std::vector<Pass> passes_of(const Settings& settings) {
    std::vector<Pass> passes;
    for (const bool rising : {true, false}) {
        const FamilyView family = family_of(settings.mode, rising);
        if (wanted(family, settings) == 0) continue;
        if (!passes.empty() && passes.back().family.name == family.name)
            passes.back().directions.push_back(rising);
        else
            passes.push_back({family, {rising}});
    }
    return passes;
}

}  // namespace

Result<std::unique_ptr<OpenclSearch>> OpenclSearch::open(opencl::Device& device,
                                                         opencl::Ledger& ledger,
                                                         const Flavour& flavour) {
    if (!device.computes_doubles())
        return fail(Errc::unavailable, "The device does not support double precision.",
                    to_string(device.info().address));
    return std::unique_ptr<OpenclSearch>(new OpenclSearch(device, ledger, flavour));
}

std::string OpenclSearch::name() const {
    return to_string(device_.info().address) + " (" + std::string(flavour_.name) + ")";
}

// The number of leading inputs to search at once: as much work as fits a launch, while their kept
// counts fit in memory.
std::size_t OpenclSearch::batch_size(std::span<const SearchInput> inputs, bool keeps_counts) const {
    double work = 0;
    std::size_t counts = 0;
    std::size_t size = 0;
    while (size < inputs.size() && work < flavour_.work_per_launch &&
           counts < flavour_.counts_per_batch) {
        work += Work::of(*inputs[size].itinerary) + 1;
        if (keeps_counts) counts += std::size_t{2} * Gathering::first_capacity(inputs[size]);
        ++size;
    }
    return size;
}

Result<void> OpenclSearch::search_batch(std::span<const SearchInput> inputs,
                                        const Settings& settings, std::size_t keep,
                                        const Watch& watch, std::vector<SearchResult>& results) {
    TRY_DO(runner_.load(inputs));
    const auto passes = passes_of(settings);
    std::vector<Gathering> gatherings;
    for (const SearchInput& input : inputs) gatherings.emplace_back(input, settings, keep);

    struct Ask {
        Lane lane;
        Keeping keeping;
    };
    std::vector<std::vector<Ask>> asked(passes.size());
    for (std::size_t p = 0; p < passes.size(); ++p)
        for (const bool rising : passes[p].directions)
            for (std::size_t e = 0; e < inputs.size(); ++e)
                asked[p].push_back(
                    {{e, rising}, Gathering::first_keeping(passes[p].family, inputs[e])});

    std::vector<std::size_t> searched(inputs.size());
    for (std::size_t e = 0; e < inputs.size(); ++e) searched[e] = e;
    while (!searched.empty()) {
        for (std::size_t p = 0; p < passes.size(); ++p) {
            std::vector<Lane> lanes;
            std::vector<Keeping> keeping;
            std::size_t counts = 0;
            for (Ask& ask : asked[p]) {
                lanes.push_back(ask.lane);
                counts += ask.keeping.capacity;
                keeping.push_back(std::move(ask.keeping));
            }
            asked[p].clear();
            if (lanes.empty()) continue;
            if (counts > kMaxCounts)
                return fail(Errc::exhausted, "There are more counts than fit on the device.",
                            name());
            TRY(auto found,
                runner_.count(passes[p].family, lanes, inputs, keeping, settings, watch));
            for (std::size_t l = 0; l < lanes.size(); ++l)
                gatherings[lanes[l].input].take(passes[p].family, lanes[l].rising,
                                                std::move(found[l]));
        }
        std::vector<std::size_t> again;
        for (const std::size_t e : searched) {
            auto missing = gatherings[e].missing();
            if (missing.empty()) continue;
            again.push_back(e);
            for (auto& [rising, keeping] : missing)
                for (std::size_t p = 0; p < passes.size(); ++p)
                    if (std::ranges::count(passes[p].directions, rising) > 0)
                        asked[p].push_back({{e, rising}, std::move(keeping)});
        }
        searched = std::move(again);
    }
    for (std::size_t e = 0; e < inputs.size(); ++e) {
        if (!gatherings[e].may_be_cut()) {
            results.push_back(gatherings[e].result());
            continue;
        }
        TRY(auto result,
            waves::search(*inputs[e].table, *inputs[e].itinerary, settings, keep, watch));
        results.push_back(std::move(result));
    }
    return {};
}

Result<std::vector<SearchResult>> OpenclSearch::search(std::span<const SearchInput> inputs,
                                                       const Settings& settings, std::size_t keep,
                                                       const Watch& watch) {
    std::vector<SearchResult> results;
    while (results.size() < inputs.size()) {
        const auto rest = inputs.subspan(results.size());
        TRY_DO(search_batch(rest.first(batch_size(rest, true)), settings, keep, watch, results));
    }
    runner_.drop_large_buffers();
    return results;
}

Result<void> OpenclSearch::best_of_batch(std::span<const SearchInput> inputs,
                                         const Settings& settings, const Watch& watch,
                                         std::vector<std::array<double, kKinds>>& scores) {
    TRY_DO(runner_.load(inputs));
    const std::size_t first = scores.size();
    scores.resize(first + inputs.size());
    for (std::size_t e = 0; e < inputs.size(); ++e) scores[first + e].fill(-1);
    for (const Pass& pass : passes_of(settings)) {
        std::vector<Lane> lanes;
        for (const bool rising : pass.directions)
            for (std::size_t e = 0; e < inputs.size(); ++e) lanes.push_back({e, rising});
        TRY(const auto best, runner_.best(pass.family, lanes, inputs, settings, watch));
        const std::size_t patterns = pass.family.patterns.size();
        for (std::size_t l = 0; l < lanes.size(); ++l)
            for (std::size_t p = 0; p < patterns; ++p)
                scores[first + lanes[l].input][kind_index(
                    pass.family.patterns[p].shape, lanes[l].rising)] = best[l * patterns + p];
    }
    return {};
}

Result<std::vector<std::array<double, kKinds>>> OpenclSearch::best_scores(
    std::span<const SearchInput> inputs, const Settings& settings, const Watch& watch) {
    if (settings.max_combinations > 0)
        return fail(Errc::unavailable,
                    "With max_combinations, the starts of a chance series are searched one by one "
                    "on the CPU.",
                    name());
    std::vector<std::array<double, kKinds>> scores;
    while (scores.size() < inputs.size()) {
        const auto rest = inputs.subspan(scores.size());
        TRY_DO(best_of_batch(rest.first(batch_size(rest, false)), settings, watch, scores));
    }
    return scores;
}

Result<Forecast> OpenclSearch::forecast(const Work& work, const Settings& settings) {
    auto known = rates_.find(settings.mode);
    if (known == rates_.end())
        known = rates_.emplace(settings.mode, try_out(*this, settings.mode)).first;
    // The trial built the kernels: release the memory that the compiler no longer needs.
    malloc_trim(0);
    if (!known->second) return fail(known->second.error());
    const Rates& rates = *known->second;
    return Forecast{rates.device_begin + work.counted * rates.device_counted +
                        work.scored * rates.device_scored,
                    work.counted * rates.core_counted + work.scored * rates.core_scored};
}

}  // namespace plimsoll::waves
