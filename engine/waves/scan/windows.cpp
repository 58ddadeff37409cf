#include "engine/waves/scan/windows.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::waves {

std::int32_t first_bar(const Series& series, int days) {
    const auto n = static_cast<std::int32_t>(series.size());
    if (days == 0 || n == 0) return 0;
    if (series.time.empty()) return std::max(0, n - days);
    const std::int64_t after = series.time.back() - std::int64_t{days} * 86400;
    return static_cast<std::int32_t>(std::ranges::upper_bound(series.time, after) -
                                     series.time.begin());
}

double bars_per_week(const Series& series, const Settings& settings) {
    if (settings.bars_per_week > 0) return settings.bars_per_week;
    if (settings.mode == Mode::compatible) return 7;
    constexpr double kWeek = 7 * 86400;
    if (series.time.size() < 2) return 5;
    const auto span = static_cast<double>(series.time.back() - series.time.front());
    return std::max(1.0, std::round(static_cast<double>(series.size() - 1) * kWeek / span));
}

std::vector<Window> make_windows(std::int32_t n, double week, const Settings& settings) {
    if (!settings.windowed) return {{0, n}};
    const auto bars = [&](double weeks) {
        return static_cast<std::int32_t>(std::min(weeks * week, 1e9));
    };
    const std::int32_t longest = std::max(1, bars(settings.max_weeks));
    const std::int32_t shortest = std::max(1, bars(settings.min_weeks));
    const std::int32_t step =
        std::max(1, bars(settings.slide_weeks * (1 - settings.window_overlap)));
    const auto max = static_cast<std::size_t>(settings.max_windows);
    std::vector<Window> windows;
    for (std::int64_t begin = 0; begin < n; begin += step) {
        const std::int64_t end = std::min<std::int64_t>(begin + longest, n);
        if (end - begin < shortest || (max > 0 && windows.size() == max)) break;
        windows.push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)});
    }
    return windows;
}

bool too_quiet(std::span<const double> lows, std::span<const double> highs,
               std::span<const double> closes, const Settings& settings) {
    if (settings.skip_flat_windows) {
        const double low = *std::ranges::min_element(lows);
        if (*std::ranges::max_element(highs) < low * 1.01) return true;
    }
    if (settings.min_volatility > 0) {
        double sum = 0;
        double squares = 0;
        const std::size_t returns = closes.size() - 1;
        for (std::size_t i = 1; i < closes.size(); ++i) {
            const double r = std::log(closes[i] / closes[i - 1]);
            sum += r;
            squares += r * r;
        }
        if (returns == 0) return true;
        const double mean = sum / static_cast<double>(returns);
        const double variance = squares / static_cast<double>(returns) - mean * mean;
        return std::sqrt(std::max(0.0, variance)) < settings.min_volatility;
    }
    return false;
}

}  // namespace plimsoll::waves
