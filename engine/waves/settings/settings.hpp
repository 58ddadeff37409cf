#pragma once

#include "engine/waves/scoring/parts.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::waves {

enum class Mode : std::uint8_t { standard, compatible };
enum class UseGpu : std::uint8_t { automatic, always, never };
enum class SurrogateMethod : std::uint8_t { shuffle, block_bootstrap, random_walk };
inline constexpr std::array<std::string_view, 3> kSurrogateMethods = {"shuffle", "block_bootstrap",
                                                                      "random_walk"};

// The settings of a search; keys.cpp has their keys, ranges and meaning. The defaults here search
// every series as a whole from every bar.
struct Settings {
    Mode mode = Mode::standard;

    // Which bars
    int days = 0;           // only the latest N days (bars, without dates); 0: all
    bool windowed = false;  // in windows of `max_weeks`, else the series as a whole
    int min_weeks = 4;      // a shorter window at the end of the series is skipped
    int max_weeks = 12;
    int slide_weeks = 1;
    double window_overlap = 0;  // 0 to 0.99: the slide is shortened by this share
    int max_windows = 0;        // 0: all
    double bars_per_week = 0;   // 0: 7 in the compatible mode, else from the dates

    // Which starts
    bool every_bar = true;    // every bar a start, else chosen points
    bool multi_start = true;  // several points per window, else only its lowest low
    int max_start_points = 5;
    std::vector<int> start_bars;  // whole series only: these and no others; negative from the end
    bool skip_flat_windows = false;  // windows whose range is under 1 % of their lowest low
    double min_volatility = 0;       // of a window: standard deviation of log returns
    int pre_score_top_k = 0;         // only this many best starts of a series; 0: all
    double pre_score_threshold = 0;  // only starts that score at least this
    std::array<double, 4> pre_score_weights = {0.4, 0.3, 0.2, 0.1};

    // Which counts
    int up_to = 0;                       // ends per chain, that is skips below it; 0: all
    std::uint64_t max_combinations = 0;  // nodes per window; 0: all
    std::uint32_t shapes = ~0u;          // bits of Shape
    bool rising = true;
    bool falling = true;

    // Scores and ranking
    Weights weights = Weights::standard();
    int top_n = 10;            // counts per symbol; 0: every valid count, overlapping ones included
    int max_counts = 1 << 20;  // no key: the upper limit of "every", at most kMaxCandidates
    double max_overlap =
        0.5;  // intersection over union of spans; above it the worse count becomes an alternate
    int alternates = 3;  // kept beside each count

    // Significance
    int surrogates = 0;  // 0: none
    // The number of the first surrogate: a symbol's surrogates may be searched in several parts.
    // Not a key: set by the code that splits them.
    std::uint32_t first_surrogate = 0;
    SurrogateMethod method = SurrogateMethod::shuffle;
    int block_bars = 0;  // of the bootstrap; 0: the cube root of the bars; at most half the series
    std::uint64_t seed = 1;

    // Running and output
    int threads = 0;  // 0: one per processor
    UseGpu use_gpu = UseGpu::automatic;
    bool profile = false;
    bool save_images = false;
    int save_images_top_n = 1;
    std::string out_dir = "output";

    // Whether counts are ranked, and compared with chance, by how rare their scores are in their
    // pattern (see Rarity), which is known for the standard mode with its own weights; else by
    // their scores.
    bool by_rarity() const {
        return mode == Mode::standard && weights.value == Weights::standard().value;
    }
};

}  // namespace plimsoll::waves
