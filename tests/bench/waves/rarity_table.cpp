// waves_rarity_table > engine/waves/scoring/rarity_table.hpp: measures on random walks how rare
// scores are, and writes the table that the engine reads. Takes a minute; the same every time.

#include "tests/unit/engine/waves/rarity_walks.hpp"

#include <cstdio>
#include <string>

namespace {

using namespace plimsoll::waves;

std::string list(std::span<const double> values) {
    std::string out = "{";
    for (const double value : values) {
        char text[32];
        std::snprintf(text, sizeof text, "%s%.4f", out.size() > 1 ? ", " : "", value);
        out += text;
    }
    return out + "}";
}

constexpr const char* kHead = R"(#pragma once

#include "engine/waves/search/pattern.hpp"

#include <array>

// Written by tests/bench/waves/rarity_table.cpp; a test measures it again.
namespace plimsoll::waves {

inline constexpr std::size_t kRaritySteps = %zu;
inline constexpr auto kRarityLengths = std::to_array<int>(%s);

// One pattern with so many finished waves, on random walks, in one direction.
struct RarityRow {
    Shape shape;
    int waves;
    bool finished;
    // ln of the counts a walk of kRarityLengths bars holds: bars with a high and a low, closes.
    std::array<double, kRarityLengths.size()> of_bars, of_closes;
    // The score that a share of e^-i of the counts reaches; 0 where too few tell.
    std::array<double, kRaritySteps> reached;
};

// clang-format off
inline constexpr auto kRarityRows = std::to_array<RarityRow>({
)";

}  // namespace

int main() {
    std::string lengths;
    for (const int length : kRarityLengths)
        lengths += (lengths.empty() ? "{" : ", ") + std::to_string(length);
    std::printf(kHead, kRaritySteps, (lengths + "}").c_str());
    for (const RarityRow& row : testing::measured_rows(testing::kRarityWalks))
        std::printf("    {Shape::%s, %d, %s,\n     %s,\n     %s,\n     %s},\n",
                    std::string(to_string(row.shape)).c_str(), row.waves,
                    row.finished ? "true" : "false", list(row.of_bars).c_str(),
                    list(row.of_closes).c_str(), list(row.reached).c_str());
    std::puts("});\n// clang-format on\n\n}  // namespace plimsoll::waves");
}
