#include "engine/waves/scan/tracker.hpp"

#include "engine/waves/scan/search.hpp"
#include "engine/waves/scan/sinks.hpp"
#include "engine/waves/scan/wanted.hpp"
#include "engine/waves/search/patterns.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace plimsoll::waves {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::int32_t>::max();

// One start's counts, finished and under way, and whether new bars may change them.
struct StartCounts {
    std::vector<Found> finished, open;
    bool settled = false;
};

template <const auto& F, class Score>
void search_start(const BarTable& table, bool rising, std::int32_t start, const Settings& settings,
                  StartCounts& into) {
    Pool finished(kAll, false);
    Pool open(kAll, false);
    // How rare a score is changes with the bars of the series: standings are set when asked for.
    const Rarity unknown;
    Collector<F, Score> sink(Score(settings.weights), unknown, rising, finished, open);
    sink.enter_window(0, table.size(), true);
    Tally<F.patterns.size()> tally;
    const std::int32_t up_to = settings.up_to > 0 ? settings.up_to : kNever;
    Descent<F, Collector<F, Score>> descent(table.seen(rising), table.size(), up_to, tally, sink);
    descent.from(start, wanted<F>(settings));
    into = {finished.take(), open.take(), !descent.met_end()};
}

}  // namespace

struct Tracker::Side {
    std::vector<StartCounts> starts;
};

Tracker::Tracker(Settings settings)
    : settings_(std::move(settings)), sides_(std::make_unique<std::array<Side, 2>>()) {}

Tracker::~Tracker() = default;

void Tracker::append(double low, double high) {
    lows_.push_back(low);
    highs_.push_back(high);
    table_.build(lows_, highs_);
    searched_ = 0;
    for (const bool rising : {true, false}) {
        if (!(rising ? settings_.rising : settings_.falling)) continue;
        auto& starts = (*sides_)[rising ? 0 : 1].starts;
        starts.resize(lows_.size());
        for (std::int32_t bar = 0; bar < table_.size(); ++bar) {
            StartCounts& it = starts[bar];
            if (it.settled) continue;
            ++searched_;
            if (settings_.mode == Mode::standard)
                search_start<standard::kPatterns, StandardScore>(table_, rising, bar, settings_,
                                                                 it);
            else if (rising)
                search_start<compatible::kRising, CompatibleScore>(table_, rising, bar, settings_,
                                                                   it);
            else
                search_start<compatible::kFalling, CompatibleScore>(table_, rising, bar, settings_,
                                                                    it);
        }
    }
}

std::vector<Found> Tracker::counts() const {
    std::vector<Found> all;
    for (const Side& side : *sides_)
        for (const StartCounts& start : side.starts)
            all.insert(all.end(), start.finished.begin(), start.finished.end());
    // Whenever they were found, the window is the whole series as it is now.
    for (Found& found : all) found.window_end = table_.size();
    return ranked(std::move(all));
}

std::vector<Found> Tracker::open() const {
    std::vector<Found> all;
    for (const Side& side : *sides_)
        for (const StartCounts& start : side.starts)
            all.insert(all.end(), start.open.begin(), start.open.end());
    return ranked(std::move(all));
}

std::vector<Found> Tracker::ranked(std::vector<Found> all) const {
    const Rarity rarity = rarity_of(table_, table_.size(), settings_);
    for (Found& it : all) it.standing = rarity.standing(it.shape, it.waves, it.score);
    std::ranges::sort(all, better);
    return all;
}

}  // namespace plimsoll::waves
