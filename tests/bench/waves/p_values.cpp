// waves_p_values WALKS BARS [METHOD…]: whether p-values are uniform where they must be. Every walk
// is judged as a symbol of its own by 99 chance series, on one thread. Prints, for each way to make
// chance series, how often p is at most 0.01, 0.05 and 0.1, the distance of Kolmogorov and Smirnov,
// and the chi-square of ten bins, with what uniform values exceed in one of a hundred samples.

#include "engine/waves/report/scan.hpp"
#include "engine/waves/settings/keys.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using namespace plimsoll;
using namespace plimsoll::waves;

constexpr int kSurrogates = 99;
constexpr std::uint64_t kFirstSeed = 1'000'000;  // far from the walks that rarities come from
constexpr double kChiSquareOfNine = 21.67;       // exceeded once in a hundred, nine degrees

std::vector<double> p_values(int walks, std::size_t bars, testing::Kind kind, Settings settings) {
    settings.surrogates = kSurrogates;
    settings.top_n = 1;
    settings.alternates = 0;
    settings.threads = 1;
    settings.use_gpu = UseGpu::never;
    std::vector<double> found;
    for (int walk = 0; walk < walks; ++walk) {
        std::vector<SymbolPrices> symbol(1);
        symbol.front().series =
            testing::random_series(kFirstSeed + static_cast<std::uint64_t>(walk), bars, kind);
        symbol.front().series.symbol = "walk " + std::to_string(walk);
        Progress progress;
        const auto reports = scan(std::move(symbol), settings, progress);
        const SymbolReport& report = reports.value().front();
        // Without any count there is nothing to judge: the least that can be said.
        found.push_back(report.counts.empty()
                            ? 1
                            : Chance::p_value(report.counts.front().chance->k, kSurrogates));
    }
    return found;
}

double share_at_most(const std::vector<double>& values, double p) {
    const auto below = std::ranges::count_if(values, [p](double it) { return it <= p + 1e-9; });
    return static_cast<double>(below) / static_cast<double>(values.size());
}

// Over the p there can be.
double farthest_from_uniform(const std::vector<double>& values) {
    double farthest = 0;
    for (int k = 1; k <= kSurrogates + 1; ++k) {
        const double p = k / (kSurrogates + 1.0);
        farthest = std::max(farthest, std::abs(share_at_most(values, p) - p));
    }
    return farthest;
}

double chi_square_of_ten(const std::vector<double>& values) {
    const double expected = static_cast<double>(values.size()) / 10;
    double sum = 0;
    for (int bin = 0; bin < 10; ++bin) {
        const double in = static_cast<double>(values.size()) *
                          (share_at_most(values, (bin + 1) / 10.0) -
                           (bin > 0 ? share_at_most(values, bin / 10.0) : 0));
        sum += (in - expected) * (in - expected) / expected;
    }
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: waves_p_values WALKS BARS [METHOD...]\n");
        return 2;
    }
    const int walks = std::atoi(argv[1]);
    const std::vector<std::string> asked(argv + 3, argv + argc);
    const auto bars = static_cast<std::size_t>(std::atoi(argv[2]));
    const double limit = 1.63 / std::sqrt(walks);
    std::printf("%d walks of %zu bars; limits at 1 %%: distance %.4f, chi-square %.2f\n", walks,
                bars, limit, kChiSquareOfNine);
    std::puts(
        "| ranked by | bars | chance series | p ≤ 0.01 | p ≤ 0.05 | p ≤ 0.1 | distance | "
        "chi-square |");
    std::puts("|---|---|---|---|---|---|---|---|");
    for (const char* ranking : {"rarity", "score"}) {
        for (const char* method : {"shuffle", "block_bootstrap", "random_walk"}) {
            if (!asked.empty() && !std::ranges::count(asked, method)) continue;
            for (const auto kind : {testing::Kind::ohlc, testing::Kind::close_only}) {
                Settings settings;
                nlohmann::json given = {{"surrogate_method", method}};
                // Weights that nobody measured rarities with.
                if (std::string(ranking) == "score") settings.weights.value[0] += 1e-9;
                if (!apply_settings(given, settings)) return 1;
                const auto values = p_values(walks, bars, kind, settings);
                std::printf("| %s | %s | %s | %.4f | %.4f | %.4f | %.4f | %.2f |\n", ranking,
                            kind == testing::Kind::ohlc ? "open, high, low, close" : "close",
                            method, share_at_most(values, 0.01), share_at_most(values, 0.05),
                            share_at_most(values, 0.1), farthest_from_uniform(values),
                            chi_square_of_ten(values));
                std::fflush(stdout);
            }
        }
    }
}
