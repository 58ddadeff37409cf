#include "engine/waves/settings/scope.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace plimsoll::waves {
namespace {

using nlohmann::json;
using Keys = std::span<const char* const>;

constexpr std::array kOfWindows = {"min_weeks", "max_weeks", "slide_weeks", "window_overlap_ratio",
                                   "max_windows"};
constexpr std::array kOfStarts = {"enable_multi_start", "max_start_points"};

bool any(const json& given, Keys keys) {
    return std::ranges::any_of(keys, [&](const char* key) { return given.contains(key); });
}

}  // namespace

void imply_scope(const json& given, Settings& settings) {
    if (!given.contains("windows") && any(given, kOfWindows)) settings.windowed = true;
    if (!given.contains("starts") && any(given, kOfStarts)) settings.every_bar = false;
}

std::vector<KeyNote> keys_without_scope(const json& given, const Settings& settings) {
    std::vector<KeyNote> notes;
    const auto note = [&](Keys keys, const char* reason) {
        for (const char* key : keys)
            if (given.contains(key)) notes.push_back({key, reason});
    };
    constexpr std::array kWeek = {"bars_per_week"};
    constexpr std::array kPoints = {"max_start_points"};
    constexpr std::array kBars = {"start_bars"};
    const bool listed = !settings.start_bars.empty() && !settings.windowed;
    if (!settings.windowed) {
        note(kOfWindows, "The series is searched as a whole (windows).");
        note(kWeek, "The series is searched as a whole (windows).");
    } else {
        note(kBars, "It lists bars of the whole series, but this search uses windows.");
    }
    if (listed)
        note(kOfStarts, "start_bars lists the starts.");
    else if (settings.every_bar)
        note(kOfStarts, "Every bar is a start (starts).");
    else if (!settings.multi_start)
        note(kPoints, "enable_multi_start is false: a window has one start, its lowest low.");
    constexpr std::array kChance = {"surrogate_method", "block_bars", "seed"};
    constexpr std::array kBlocks = {"block_bars"};
    constexpr std::array kWeights = {"pre_score_weights"};
    if (settings.surrogates == 0)
        note(kChance, "There are no chance series (surrogates).");
    else if (settings.method != SurrogateMethod::block_bootstrap)
        note(kBlocks, "Chance series are not made of blocks (surrogate_method).");
    if (settings.pre_score_top_k == 0 && settings.pre_score_threshold <= 0)
        note(kWeights, "No start is left out (pre_score_top_k, pre_score_threshold).");
    return notes;
}

}  // namespace plimsoll::waves
