#include "server/kinds/waves/contract/cost.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::jobs::waves {

namespace {

bool is_standard(const ::plimsoll::waves::Settings& settings) {
    return settings.mode == ::plimsoll::waves::Mode::standard;
}

// Measured by tests/bench/waves on series of 500 and 5,000 bars.
double search_seconds(const ::plimsoll::waves::SymbolPrices& prices,
                      const ::plimsoll::waves::Settings& settings) {
    const bool standard = is_standard(settings);
    const double size = static_cast<double>(prices.series.size()) / 500;
    return settings.windowed ? (standard ? 1.1e-3 : 0.35e-3) * size
                             : (standard ? 0.6e-3 : 1e-3) * std::pow(size, 1.6);
}

}  // namespace

double surrogate_seconds(const ::plimsoll::waves::SymbolPrices& prices,
                         const ::plimsoll::waves::Settings& settings) {
    if (!prices.ok()) return 0;
    // Chance series are searched for their best scores alone.
    return settings.surrogates * search_seconds(prices, settings) *
           (is_standard(settings) ? 0.4 : 0.65);
}

double predicted_seconds(const ::plimsoll::waves::SymbolPrices& prices,
                         const ::plimsoll::waves::Settings& settings) {
    constexpr double kRow = 1e-3;  // describing the counts and packing the row
    if (!prices.ok()) return 1e-4;
    return kRow + search_seconds(prices, settings) + surrogate_seconds(prices, settings);
}

// Measured: a count with its rules and alternates, a bar with its date, a chance series' best.
std::size_t predicted_row_bytes(const ::plimsoll::waves::SymbolPrices& prices,
                                const ::plimsoll::waves::Settings& settings) {
    constexpr std::size_t kCount = 7000;
    constexpr std::size_t kBar = 60;
    constexpr std::size_t kBarsDrawn = 1000;
    constexpr std::size_t kOpen = 5;
    if (!prices.ok()) return 1000;
    const std::size_t bars = prices.series.size();
    const auto counts =
        static_cast<std::size_t>(settings.top_n == 0 ? settings.max_counts : settings.top_n) +
        kOpen;
    const std::size_t close_up = bars > kBarsDrawn ? kBarsDrawn / 2 * kBar : 0;
    return counts * (kCount + close_up) + std::min(bars, kBarsDrawn) * kBar;
}

Requirement requirement_of(const ::plimsoll::waves::Settings& settings,
                           std::span<const TaskSpec> tasks) {
    using ::plimsoll::waves::UseGpu;
    constexpr double kWorthAGpu = 30;  // seconds of a core
    double seconds = 0;
    for (const TaskSpec& task : tasks) seconds += task.estimated_seconds;
    Requirement requirement;
    if (settings.use_gpu == UseGpu::always)
        requirement.device_class = "gpu,cpu,host";
    else if (settings.use_gpu == UseGpu::automatic && seconds >= kWorthAGpu)
        requirement.device_class = "gpu,host";
    return requirement;
}

}  // namespace plimsoll::jobs::waves
