#include "engine/waves/scoring/rarity.hpp"

#include "engine/waves/scoring/rarity_table.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

namespace plimsoll::waves {
namespace {

const RarityRow& row_of(Shape shape, int waves) {
    for (const RarityRow& row : kRarityRows)
        if (row.shape == shape && row.waves == waves) return row;
    throw std::logic_error("a pattern that the table of rarities lacks");
}

// Scores on a scale where their tails are nearly straight lines: shares fall as powers of 1 - s.
double stretched(double score) {
    constexpr double kNearest = 1e-6;  // keeps a faultless score finite
    return -std::log(std::max(kNearest, 1 - score));
}

// Piecewise linear, extrapolated at both ends.
double interpolated(std::span<const double> x, std::span<const double> y, double at) {
    const auto last = static_cast<std::ptrdiff_t>(x.size()) - 1;
    const auto right =
        std::clamp<std::ptrdiff_t>(std::ranges::upper_bound(x, at) - x.begin(), 1, last);
    const auto i = static_cast<std::size_t>(right);
    return y[i - 1] + (at - x[i - 1]) * (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
}

// The tail of a row: x are stretched scores, y -ln of the share of counts that reach them.
struct Tail {
    std::array<double, kRaritySteps + 1> x{}, y{};
    std::size_t size = 0;

    explicit Tail(const RarityRow& row) {
        for (const double score : row.reached) {
            if (size > 0 && score == 0) break;  // too few counts to say
            x[size] = stretched(score);
            y[size] = static_cast<double>(size);
            ++size;
        }
        // The last step alone is noisy: extrapolate with the slope of the last three.
        const double slope = (y[size - 1] - y[size - 4]) / (x[size - 1] - x[size - 4]);
        x[size] = x[size - 1] + 1;
        y[size] = y[size - 1] + slope;
        ++size;
    }
    std::span<const double> scores() const { return std::span(x).first(size); }
    std::span<const double> shares() const { return std::span(y).first(size); }
};

const Tail& tail_of(Shape shape, int waves) {
    static const std::array<Tail, kRarityRows.size()> kTails = [] {
        const auto all = []<std::size_t... I>(std::index_sequence<I...>) {
            return std::array<Tail, sizeof...(I)>{Tail(kRarityRows[I])...};
        };
        return all(std::make_index_sequence<kRarityRows.size()>());
    }();
    return kTails[static_cast<std::size_t>(&row_of(shape, waves) - kRarityRows.data())];
}

}  // namespace

Rarity::Rarity(double bars, double window, bool close_only) : known_(true) {
    std::array<double, kRarityLengths.size()> lengths{};
    std::ranges::transform(kRarityLengths, lengths.begin(), [](int n) { return std::log(n); });
    for (const RarityRow& row : kRarityRows) {
        double& count = counts_[static_cast<std::size_t>(row.shape)]
                               [static_cast<std::size_t>(row.waves - kMinWaves)];
        count = interpolated(lengths, close_only ? row.of_closes : row.of_bars, std::log(window));
        // Finished counts begin anywhere, those under way end where the series does.
        if (row.finished) count += std::log(bars / window);
    }
}

double Rarity::standing(Shape shape, int waves, double score) const {
    if (!known_) return score;
    const Tail& tail = tail_of(shape, waves);
    return interpolated(tail.scores(), tail.shares(), stretched(score)) -
           counts_[static_cast<std::size_t>(shape)][static_cast<std::size_t>(waves - kMinWaves)];
}

double Rarity::min_score(Shape shape, int waves, double standing) const {
    if (!known_ || std::isinf(standing)) return standing;
    const Tail& tail = tail_of(shape, waves);
    const double share =
        standing +
        counts_[static_cast<std::size_t>(shape)][static_cast<std::size_t>(waves - kMinWaves)];
    constexpr double kRounding = 1e-9;
    return 1 - std::exp(-interpolated(tail.shares(), tail.scores(), share)) - kRounding;
}

double expected_counts(double rarity) { return std::exp(-rarity); }

}  // namespace plimsoll::waves
