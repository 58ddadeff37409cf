#include "engine/waves/report/device_scan.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace plimsoll::waves {
namespace {

// The amount of work, without looking at the prices.
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
        // Overlapping windows share most of their results.
        if (settings.windowed) starts = std::min(starts, static_cast<double>(n));
        const double both = (settings.rising ? 1 : 0) + (settings.falling ? 1 : 0);
        const double it = both * starts * std::pow(longest / 500, 0.6);
        work.counted += it;
        work.scored += it * settings.surrogates;
    }
    return work;
}

// Signals life while kernels are built for the first time, which a driver does in one long call; at
// most for two minutes, so that a hung driver is noticed.
class Beats {
  public:
    explicit Beats(const Watch& watch)
        : thread_([&watch](const std::stop_token& over) {
              constexpr int kMax = 240;
              std::mutex mutex;
              std::condition_variable_any ended;
              std::unique_lock lock(mutex);
              for (int i = 0; i < kMax && !over.stop_requested(); ++i) {
                  watch.stopped();
                  ended.wait_for(lock, over, std::chrono::milliseconds(500), [] { return false; });
              }
          }) {}

  private:
    std::jthread thread_;
};

std::string seconds_text(double seconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2g s", seconds);
    return text.data();
}

}  // namespace

DeviceChoice choose_device(const DeviceAtHand& at_hand, std::span<const SymbolPrices> symbols,
                           const Settings& settings, std::size_t threads, const Watch& watch) {
    if (settings.use_gpu == UseGpu::never) return {};
    if (at_hand.device == nullptr)
        return {nullptr, settings.use_gpu == UseGpu::always ? at_hand.none : ""};
    const auto forecast = [&] {
        const Beats beats(watch);
        return at_hand.device->forecast(work_in(symbols, settings), settings);
    }();
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
