#include "engine/waves/report/device_scan.hpp"

#include <array>
#include <cstdio>

namespace plimsoll::waves {
namespace {

// What there is to search, without looking at the prices.
Work work_in(std::span<const SymbolPrices> symbols, const Settings& settings) {
    Work work;
    for (const SymbolPrices& prices : symbols) {
        if (!prices.ok()) continue;
        const Series& series = prices.series;
        const auto n = static_cast<std::int32_t>(series.size()) - first_bar(series, settings.days);
        double starts = 0;
        double longest = 0;
        for (const Window& window : make_windows(n, bars_per_week(series, settings), settings)) {
            const double bars = window.end - window.begin;
            longest = std::max(longest, bars);
            starts += settings.every_bar ? bars : std::min<double>(bars, settings.max_start_points);
        }
        // Windows that overlap share most of what they find.
        if (settings.windowed) starts = std::min(starts, static_cast<double>(n));
        const double both = (settings.rising ? 1 : 0) + (settings.falling ? 1 : 0);
        const double it = both * starts * std::pow(longest / 500, 0.6);
        work.counted += it;
        work.scored += it * settings.surrogates;
    }
    return work;
}

std::string seconds_text(double seconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2g s", seconds);
    return text.data();
}

}  // namespace

DeviceChoice choose_device(const DeviceAtHand& at_hand, std::span<const SymbolPrices> symbols,
                           const Settings& settings, std::size_t threads) {
    if (settings.use_gpu == UseGpu::never) return {};
    if (at_hand.device == nullptr)
        return {nullptr, settings.use_gpu == UseGpu::always ? at_hand.none : ""};
    const auto forecast = at_hand.device->forecast(work_in(symbols, settings), settings);
    if (!forecast)
        return {nullptr, at_hand.device->name() + " is not used: " + forecast.error().message};
    if (settings.use_gpu == UseGpu::always) return {at_hand.device, "use_gpu is true."};
    const double processor = forecast->core_seconds / static_cast<double>(threads);
    const bool device = forecast->device_seconds < processor;
    return {device ? at_hand.device : nullptr,
            "Predicted: " + seconds_text(forecast->device_seconds) + " on " +
                at_hand.device->name() + ", " + seconds_text(processor) + " on the processor's " +
                std::to_string(threads) + (threads == 1 ? " core." : " cores.")};
}

}  // namespace plimsoll::waves
