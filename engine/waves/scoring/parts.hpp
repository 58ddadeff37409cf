#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plimsoll::waves {

// The parts of a score, each from 0 to 1. The pattern and the mode determine which parts a count
// has.
enum class Part : std::uint8_t {
    fibonacci,    // lengths of waves against ratios of the golden section
    time,         // durations likewise
    alternation,  // how much waves 2 and 4 differ in depth and duration
    channel,      // how close the last wave ends to the line parallel to the two before
    margins,      // margin of the weakest rule
    rules,        // 1: every rule holds (compatible mode)
    complexity,   // 0.95 for a count of the first degree (compatible mode)
};
inline constexpr std::size_t kParts = 7;

std::string_view to_string(Part part);

struct Parts {
    std::array<double, kParts> value{};
    std::uint32_t present = 0;  // bits of the parts that the count has

    void set(Part part, double it) {
        value[static_cast<std::size_t>(part)] = it;
        present |= 1u << static_cast<unsigned>(part);
    }
    double operator[](Part part) const { return value[static_cast<std::size_t>(part)]; }
    bool has(Part part) const { return (present >> static_cast<unsigned>(part)) & 1; }
};

// The weight of each part, at least 0, and not all 0 among the parts of a count.
struct Weights {
    std::array<double, kParts> value{};

    double operator[](Part part) const { return value[static_cast<std::size_t>(part)]; }

    static constexpr Weights compatible() { return {{0.5, 0.1, 0, 0, 0, 0.3, 0.1}}; }
    static constexpr Weights standard() { return {{0.35, 0.2, 0.15, 0.15, 0.15, 0, 0}}; }
};

// The weighted mean of the parts present, 0 to 1; 0 when their weights are all 0.
double total(const Parts& parts, const Weights& weights);

}  // namespace plimsoll::waves
