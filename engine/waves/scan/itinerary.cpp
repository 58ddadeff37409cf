#include "engine/waves/scan/itinerary.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::waves {

namespace {

constexpr std::int32_t kNeighbours = 5;
constexpr std::int32_t kApart = 10;

}  // namespace

StartFinder::StartFinder(std::span<const Bar> bars) : bars_(bars) {
    const auto n = static_cast<std::int32_t>(bars.size());
    for (std::int32_t i = kNeighbours; i < n - kNeighbours; ++i) {
        bool lowest = true;
        for (std::int32_t k = i - kNeighbours; lowest && k <= i + kNeighbours; ++k)
            lowest = bars[k].low >= bars[i].low;
        if (lowest) lows_.push_back(i);
    }
}

void StartFinder::find(const Window& window, const Settings& settings,
                       std::vector<std::int32_t>& starts) {
    std::int32_t lowest = window.begin;
    for (std::int32_t i = window.begin; i < window.end; ++i)
        if (bars_[i].low < bars_[lowest].low) lowest = i;
    const std::size_t first = starts.size();
    if (settings.multi_start) {
        const auto from = std::ranges::lower_bound(lows_, window.begin + kNeighbours);
        for (auto it = from; it != lows_.end() && *it < window.end - kNeighbours; ++it)
            if (starts.size() == first || *it - starts.back() >= kApart) starts.push_back(*it);
    }
    const auto mine = [&] { return std::span(starts).subspan(first); };
    const auto max = static_cast<std::size_t>(settings.max_start_points);
    if (std::ranges::find(mine(), lowest) == mine().end()) starts.push_back(lowest);
    std::ranges::sort(mine());
    if (mine().size() > max) {
        starts.resize(first + max - 1);
        if (std::ranges::find(mine(), lowest) == mine().end()) starts.push_back(lowest);
        std::ranges::sort(mine());
    }
}

double pre_score(std::span<const Bar> bars, std::int32_t start, std::int32_t end,
                 const std::array<double, 4>& weights) {
    const std::int32_t count = end - start;
    if (count < 3) return 0;
    double lowest = std::abs(bars[start].low);
    double highest = lowest;
    double sum = 0;
    double squares = 0;
    int turns = 0;
    for (std::int32_t i = start; i < end; ++i) {
        const double value = std::abs(bars[i].low);  // negated on the mirrored side
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
        sum += value;
        squares += value * value;
        if (i > start && i + 1 < end)
            turns += (bars[i].low > bars[i - 1].low) != (bars[i + 1].low > bars[i].low);
    }
    const double mean = sum / count;
    const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
    const double slope = std::abs(bars[end - 1].low - bars[start].low) / mean;
    // Tenfold: price changes of a tenth are much; turns at every other bar are many.
    const auto much = [](double share) { return std::min(1.0, 10 * share); };
    return weights[0] * much(deviation / mean) + weights[1] * much((highest - lowest) / lowest) +
           weights[2] * std::min(1.0, 2.0 * turns / count) + weights[3] * much(slope);
}

std::size_t filter_starts(std::span<const Bar> bars, std::span<const Window> windows,
                          const Settings& settings, std::vector<Start>& starts) {
    if (settings.pre_score_threshold <= 0 && settings.pre_score_top_k == 0) return 0;
    const std::size_t before = starts.size();
    std::vector<std::pair<double, Start>> scored;
    for (const Start& start : starts) {
        const double score =
            pre_score(bars, start.bar, windows[start.window].end, settings.pre_score_weights);
        if (score >= settings.pre_score_threshold) scored.push_back({score, start});
    }
    const auto max = static_cast<std::size_t>(settings.pre_score_top_k);
    if (max > 0 && scored.size() > max) {
        const auto place = [](const Start& s) { return std::pair(s.window, s.bar); };
        std::ranges::sort(scored, [&](const auto& a, const auto& b) {
            return a.first != b.first ? a.first > b.first : place(a.second) < place(b.second);
        });
        scored.resize(max);
        std::ranges::sort(scored, [&](const auto& a, const auto& b) {
            return place(a.second) < place(b.second);
        });
    }
    starts.clear();
    for (const auto& [score, start] : scored) starts.push_back(start);
    return before - starts.size();
}

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
