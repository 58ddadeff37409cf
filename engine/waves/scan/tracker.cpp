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
    std::uint64_t nodes = 0;  // of its last search
    bool settled = false;
};

// Goes nowhere any more when the search has taken too many nodes.
template <const auto& F, class Score>
class Limited : public Collector<F, Score> {
    using Base = Collector<F, Score>;

  public:
    Limited(const Tally<F.patterns.size()>& tally, std::uint64_t most, auto&&... collector)
        : Base(collector...), tally_(tally), most_(most) {}
    template <int K>
    unsigned enter(const Path& path, unsigned alive) {
        return tally_.nodes > most_ ? 0 : Base::template enter<K>(path, alive);
    }

  private:
    const Tally<F.patterns.size()>& tally_;
    std::uint64_t most_;
};

template <const auto& F, class Score>
void search_start(const BarTable& table, bool rising, std::int32_t start, const Settings& settings,
                  std::uint64_t most_nodes, StartCounts& into) {
    Pool finished(kAll, false);
    Pool open(kAll, false);
    // How rare a score is changes with the bars of the series: standings are set when asked for.
    const Rarity unknown;
    Tally<F.patterns.size()> tally;
    Limited<F, Score> sink(tally, most_nodes, Score(settings.weights), unknown, rising, finished,
                           open);
    sink.enter_window(0, table.size(), true);
    const std::int32_t up_to = settings.up_to > 0 ? settings.up_to : kNever;
    Descent<F, Limited<F, Score>> descent(table.seen(rising), table.size(), up_to, tally, sink);
    descent.from(start, wanted<F>(settings));
    into = {finished.take(), open.take(), tally.nodes, !descent.met_end()};
}

void search_start(const BarTable& table, bool rising, std::int32_t start, const Settings& settings,
                  std::uint64_t most_nodes, StartCounts& into) {
    if (settings.mode == Mode::standard)
        search_start<standard::kPatterns, StandardScore>(table, rising, start, settings, most_nodes,
                                                         into);
    else if (rising)
        search_start<compatible::kRising, CompatibleScore>(table, rising, start, settings,
                                                           most_nodes, into);
    else
        search_start<compatible::kFalling, CompatibleScore>(table, rising, start, settings,
                                                            most_nodes, into);
}

}  // namespace

struct Tracker::Side {
    std::vector<StartCounts> starts;
};

Tracker::Tracker(Settings settings, std::uint64_t most_nodes)
    : settings_(std::move(settings)),
      sides_(std::make_unique<std::array<Side, 2>>()),
      nodes_left_(most_nodes) {}

Tracker::~Tracker() = default;

Result<void> Tracker::append(std::span<const double> lows, std::span<const double> highs) {
    lows_.insert(lows_.end(), lows.begin(), lows.end());
    highs_.insert(highs_.end(), highs.begin(), highs.end());
    table_.build(lows_, highs_);
    effort_ = {};
    for (const bool rising : {true, false}) {
        if (!(rising ? settings_.rising : settings_.falling)) continue;
        auto& starts = (*sides_)[rising ? 0 : 1].starts;
        starts.resize(lows_.size());
        effort_.starts += starts.size();
        for (std::int32_t bar = 0; bar < table_.size(); ++bar) {
            StartCounts& it = starts[bar];
            if (!it.settled) {
                search_start(table_, rising, bar, settings_, nodes_left_, it);
                ++effort_.searched;
                effort_.nodes += it.nodes;
                if (it.nodes > nodes_left_)
                    return fail(Errc::too_large, "The bars hold too many counts to follow.");
                nodes_left_ -= it.nodes;
            }
            effort_.whole_nodes += it.nodes;
        }
    }
    return {};
}

std::size_t Tracker::held() const {
    std::size_t held = 0;
    for (const Side& side : *sides_)
        for (const StartCounts& start : side.starts)
            held += start.finished.size() + start.open.size();
    return held;
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
