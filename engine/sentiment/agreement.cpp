#include "engine/sentiment/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace plimsoll::sentiment {
namespace {

constexpr double kQuantile = 1.959963984540054;  // of the normal distribution, 97.5 %

double ratio(std::int64_t part, std::int64_t all) {
    return static_cast<double>(part) / static_cast<double>(all);
}

std::int64_t in_row(const Table& table, std::size_t row) {
    std::int64_t sum = 0;
    for (const auto texts : table[row]) sum += texts;
    return sum;
}

std::int64_t in_column(const Table& table, std::size_t column) {
    std::int64_t sum = 0;
    for (const auto& row : table) sum += row[column];
    return sum;
}

}  // namespace

std::int64_t texts_in(const Table& table) {
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < kClasses; ++row) sum += in_row(table, row);
    return sum;
}

std::int64_t diagonal_of(const Table& table) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kClasses; ++i) sum += table[i][i];
    return sum;
}

std::optional<double> agreement(const Table& table) {
    const auto all = texts_in(table);
    if (all == 0) return std::nullopt;
    return ratio(diagonal_of(table), all);
}

std::optional<double> kappa(const Table& table) {
    const auto all = texts_in(table);
    std::int64_t chance = 0;  // of agreement, times all * all: exact
    for (std::size_t i = 0; i < kClasses; ++i) chance += in_row(table, i) * in_column(table, i);
    if (all == 0 || chance == all * all) return std::nullopt;
    return ratio(all * diagonal_of(table) - chance, all * all - chance);
}

std::array<ClassScore, kClasses> class_scores(const Table& table) {
    std::array<ClassScore, kClasses> scores;
    for (std::size_t i = 0; i < kClasses; ++i) {
        const auto given = in_row(table, i);
        const auto predicted = in_column(table, i);
        const auto right = table[i][i];
        scores[i].given = given;
        if (predicted != 0) scores[i].precision = ratio(right, predicted);
        if (given != 0) scores[i].recall = ratio(right, given);
        if (given + predicted != 0) scores[i].f1 = ratio(2 * right, given + predicted);
    }
    return scores;
}

std::optional<double> macro_f1(const Table& table) {
    const auto scores = class_scores(table);
    double sum = 0;
    int classes = 0;
    for (std::size_t i = 0; i < kClasses; ++i) {
        if (scores[i].given + in_column(table, i) == 0) continue;
        sum += scores[i].f1;
        ++classes;
    }
    if (classes == 0) return std::nullopt;
    return sum / classes;
}

std::optional<Interval> share_interval(std::int64_t part, std::int64_t all) {
    if (all == 0) return std::nullopt;
    const auto n = static_cast<double>(all);
    const double share = ratio(part, all);
    const double square = kQuantile * kQuantile / n;
    const double middle = (share + square / 2) / (1 + square);
    const double half =
        kQuantile * std::sqrt(share * (1 - share) / n + square / (4 * n)) / (1 + square);
    return Interval{std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

Interval accuracy_difference(std::int64_t gained, std::int64_t lost, std::int64_t all) {
    const double n = static_cast<double>(all) + 2;
    const auto change = static_cast<double>(gained - lost);
    const double spread = static_cast<double>(gained + lost + 1) - change * change / n;
    const double half = kQuantile * std::sqrt(spread) / n;
    return {change / n - half, change / n + half};
}

std::optional<double> calibration_error(std::span<const CalibrationBin> bins) {
    std::int64_t texts = 0;
    std::int64_t gap = 0;
    for (const auto& bin : bins) {
        texts += bin.texts;
        gap += std::abs(bin.right * kConfidenceScale - bin.confidence);
    }
    if (texts == 0) return std::nullopt;
    return ratio(gap, texts * kConfidenceScale);
}

std::optional<double> correlation(const Sums& sums) {
    // Products of sums exceed 64 bits.
    using Wide = __int128;
    const Wide n = sums.count;
    const auto xx = static_cast<double>(n * sums.xx - Wide{sums.x} * sums.x);
    const auto yy = static_cast<double>(n * sums.yy - Wide{sums.y} * sums.y);
    const auto xy = static_cast<double>(n * sums.xy - Wide{sums.x} * sums.y);
    if (xx <= 0 || yy <= 0) return std::nullopt;
    return std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

}  // namespace plimsoll::sentiment
