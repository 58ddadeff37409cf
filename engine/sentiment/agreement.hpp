#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

// Agreement of labels on the same texts: of two models, or of a model with reference labels. All
// figures follow from counts, which add up over tasks. Shares are from 0 to 1. An empty result: the
// counts do not determine it.
namespace plimsoll::sentiment {

inline constexpr std::size_t kClasses = 3;  // positive, neutral, negative

// Texts by the first model's class (row) and the second's (column). Reference labels are the rows.
using Table = std::array<std::array<std::int64_t, kClasses>, kClasses>;

std::int64_t texts_in(const Table& table);
std::int64_t diagonal_of(const Table& table);

std::optional<double> agreement(const Table& table);

// Cohen's kappa (1960): agreement beyond chance. Empty if both always give the same single class.
std::optional<double> kappa(const Table& table);

struct ClassScore {
    std::int64_t given = 0;
    double precision = 0;  // 0 if no text was labelled with it
    double recall = 0;     // 0 if no text has it
    double f1 = 0;
};
std::array<ClassScore, kClasses> class_scores(const Table& table);
// Mean F1 of the classes that occur among reference or predicted labels.
std::optional<double> macro_f1(const Table& table);

struct Interval {
    double low = 0;
    double high = 0;
};
// 95 % interval of a share (Wilson, 1927).
std::optional<Interval> share_interval(std::int64_t part, std::int64_t all);

// 95 % interval of the difference in accuracy of two models on the same texts (Agresti and Min,
// 2005); `gained`: texts that only the first labels correctly, `lost`: only the second.
Interval accuracy_difference(std::int64_t gained, std::int64_t lost, std::int64_t all);

// Texts whose label's probability is in one range.
struct CalibrationBin {
    std::int64_t texts = 0;
    std::int64_t right = 0;
    std::int64_t confidence = 0;  // sum of probabilities, in units of 1/10000

    static void members(auto& visit, auto& self) {
        visit("texts", self.texts);
        visit("right", self.right);
        visit("confidence", self.confidence);
    }
};
inline constexpr std::int64_t kConfidenceScale = 10000;
// Expected calibration error (Naeini and others, 2015).
std::optional<double> calibration_error(std::span<const CalibrationBin> bins);

// Sums over pairs of integers.
struct Sums {
    std::int64_t count = 0;
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t xx = 0;
    std::int64_t yy = 0;
    std::int64_t xy = 0;

    static void members(auto& visit, auto& self) {
        visit("count", self.count);
        visit("x", self.x);
        visit("y", self.y);
        visit("xx", self.xx);
        visit("yy", self.yy);
        visit("xy", self.xy);
    }
};
// Pearson's; empty if one of the two is constant.
std::optional<double> correlation(const Sums& sums);

}  // namespace plimsoll::sentiment
