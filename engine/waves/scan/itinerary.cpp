#include "engine/waves/scan/itinerary.hpp"

#include <algorithm>

namespace plimsoll::waves {
namespace {

class Planner {
  public:
    Planner(const BarTable& table, std::span<const double> closes, const Settings& settings)
        : table_(table), closes_(closes), settings_(settings) {}

    bool quiet(const Window& window) {
        if (!settings_.skip_flat_windows && settings_.min_volatility <= 0) return false;
        if (lows_.empty()) {
            for (const Bar& bar : table_.upright()) {
                lows_.push_back(bar.low);
                highs_.push_back(bar.high);
            }
        }
        const auto begin = static_cast<std::size_t>(window.begin);
        const auto count = static_cast<std::size_t>(window.end - window.begin);
        return too_quiet(std::span(lows_).subspan(begin, count),
                         std::span(highs_).subspan(begin, count), closes_.subspan(begin, count),
                         settings_);
    }

    void add(const Window& window, std::int32_t index, StartFinder& finder,
             std::vector<Start>& starts) {
        found_.clear();
        if (!settings_.start_bars.empty() && !settings_.windowed) {
            for (int bar : settings_.start_bars) {
                const std::int32_t at = bar < 0 ? window.end + bar : bar;
                if (at >= window.begin && at < window.end) found_.push_back(at);
            }
            std::ranges::sort(found_);
            const auto rest = std::ranges::unique(found_);
            found_.erase(rest.begin(), rest.end());
        } else if (settings_.every_bar) {
            for (std::int32_t bar = window.begin; bar < window.end; ++bar) found_.push_back(bar);
        } else {
            finder.find(window, settings_, found_);
        }
        for (std::int32_t bar : found_) starts.push_back({bar, index});
    }

  private:
    const BarTable& table_;
    std::span<const double> closes_;
    const Settings& settings_;
    std::vector<double> lows_, highs_;
    std::vector<std::int32_t> found_;
};

}  // namespace

std::int32_t Itinerary::longest_window() const {
    std::int32_t longest = 0;
    for (const Window& window : windows) longest = std::max(longest, window.end - window.begin);
    return longest;
}

Itinerary make_itinerary(const BarTable& table, std::span<const double> closes, double week,
                         const Settings& settings) {
    Itinerary it;
    Settings without_limit = settings;
    without_limit.max_windows = 0;
    it.windows = make_windows(table.size(), week, settings);
    it.all_windows = settings.max_windows == 0 ||
                     make_windows(table.size(), week, without_limit).size() == it.windows.size();

    Planner planner(table, closes, settings);
    // The compatible mode starts falling counts from lows, too.
    const bool highs = settings.mode == Mode::standard;
    StartFinder lows(table.upright());
    StartFinder tops(highs ? table.mirrored() : table.upright());
    for (std::size_t w = 0; w < it.windows.size(); ++w) {
        if (planner.quiet(it.windows[w])) {
            ++it.quiet_windows;
            continue;
        }
        const auto index = static_cast<std::int32_t>(w);
        if (settings.rising) planner.add(it.windows[w], index, lows, it.rising);
        if (settings.falling) planner.add(it.windows[w], index, tops, it.falling);
    }
    it.filtered_starts = filter_starts(table.upright(), it.windows, settings, it.rising);
    it.filtered_starts +=
        filter_starts(highs ? table.mirrored() : table.upright(), it.windows, settings, it.falling);
    return it;
}

}  // namespace plimsoll::waves
