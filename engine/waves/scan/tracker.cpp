#include "engine/waves/scan/tracker.hpp"

#include "engine/waves/scan/count_parts.hpp"
#include "engine/waves/scan/following.hpp"
#include "engine/waves/scan/search.hpp"
#include "engine/waves/scan/wanted.hpp"
#include "engine/waves/search/patterns.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::waves {
namespace {

// One direction's search, resumed with the new bars.
template <const auto& F, class Score>
class Growth {
  public:
    Growth(const BarTable& table, bool rising, const Settings& settings, std::uint64_t most_nodes,
           Followed& side)
        : bars_(table.seen(rising)),
          wanted_(wanted<F>(settings)),
          side_(side),
          sink_(Score(settings.weights), rising, table.size(), most_nodes, tally_, side),
          descent_(bars_, table.size(), settings.up_to > 0 ? settings.up_to : kNever, tally_,
                   sink_),
          touched_(bars_.size()) {}

    void run() {
        const auto end = static_cast<std::int32_t>(bars_.size());
        const auto begin = static_cast<std::int32_t>(side_.next[0].size());
        for (auto* places : {&side_.first, &side_.next})
            for (auto& direction : *places) direction.resize(bars_.size());

        // The last bar is final now. Each of these was one node.
        side_.for_now.clear();
        side_.nodes -= side_.last_bar.size();
        for (const Waiting& it : std::exchange(side_.last_bar, {})) again(it);

        for (std::int32_t bar = 0; bar < begin; ++bar) {
            for (const bool rise : {false, true}) {
                const Link& link = rise ? bars_[bar].rise : bars_[bar].fall;
                if (link.first_known < end)
                    for (const Waiting& it : std::exchange(side_.first[rise][bar], {})) again(it);
                if (link.next_known >= end) continue;
                for (const Waiting& it : std::exchange(side_.next[rise][bar], {})) {
                    from(it.at[0], [&] { descent_.onward(it.at, it.wave, it.skip, it.patterns); });
                }
            }
        }
        for (std::int32_t start = begin; start < end; ++start) {
            from(start, [&] { descent_.from(start, wanted_); });
        }
        side_.nodes += tally_.nodes;
        // Counts exceeded by a bar are no longer under way.
        std::erase_if(side_.open, [&](const Found& it) {
            return make_path(bars_, std::span(it.at).first(it.waves + 1u)).breach(it.waves) < end;
        });
    }

    std::uint64_t nodes() const { return tally_.nodes; }
    std::size_t starts() const {
        return static_cast<std::size_t>(std::ranges::count(touched_, true));
    }

  private:
    template <class Search>
    void from(std::int32_t start, Search&& search) {
        const std::uint64_t before = tally_.nodes;
        sink_.new_path();
        search();
        if (tally_.nodes > before) touched_[start] = true;
    }
    void again(const Waiting& it) {
        from(it.at[0], [&] { descent_.again(it.at, it.wave, it.patterns); });
    }

    std::span<const Bar> bars_;
    unsigned wanted_;
    Followed& side_;
    Tally<F.patterns.size()> tally_;
    Following<F, Score> sink_;
    Descent<F, Following<F, Score>> descent_;
    std::vector<bool> touched_;
};

}  // namespace

Tracker::Tracker(Settings settings, std::uint64_t most_nodes)
    : settings_(std::move(settings)),
      sides_(std::make_unique<std::array<Followed, 2>>()),
      nodes_left_(most_nodes) {}

Tracker::~Tracker() = default;

// False when there were too many nodes.
bool Tracker::grow(bool rising, Followed& side) {
    const auto with = [&]<const auto & F, class Score>() {
        Growth<F, Score> growth(table_, rising, settings_, nodes_left_, side);
        growth.run();
        effort_.starts += lows_.size();
        effort_.searched += growth.starts();
        effort_.nodes += growth.nodes();
        effort_.whole_nodes += side.nodes;
        if (growth.nodes() > nodes_left_) return false;
        nodes_left_ -= growth.nodes();
        return true;
    };
    if (settings_.mode == Mode::standard)
        return with.template operator()<standard::kPatterns, StandardScore>();
    return rising ? with.template operator()<compatible::kRising, CompatibleScore>()
                  : with.template operator()<compatible::kFalling, CompatibleScore>();
}

Result<void> Tracker::append(std::span<const double> lows, std::span<const double> highs) {
    lows_.insert(lows_.end(), lows.begin(), lows.end());
    highs_.insert(highs_.end(), highs.begin(), highs.end());
    table_.build(lows_, highs_);
    effort_ = {};
    for (const bool rising : {true, false}) {
        if (!(rising ? settings_.rising : settings_.falling)) continue;
        if (!grow(rising, (*sides_)[rising ? 0 : 1]))
            return fail(Errc::too_large, "There are too many counts to follow.");
    }
    return {};
}

std::size_t Tracker::held() const {
    std::size_t held = 0;
    for (const Followed& side : *sides_)
        held += side.finished.size() + side.for_now.size() + side.open.size();
    return held;
}

std::vector<Found> Tracker::counts() const {
    std::vector<Found> all;
    for (const Followed& side : *sides_)
        for (const auto* counts : {&side.finished, &side.for_now})
            all.insert(all.end(), counts->begin(), counts->end());
    return ranked(std::move(all));
}

std::vector<Found> Tracker::open() const {
    std::vector<Found> all;
    for (const Followed& side : *sides_)
        std::ranges::copy_if(side.open, std::back_inserter(all), [&](const Found& it) {
            const Pattern& pattern = *find_pattern(it.shape, it.rising, settings_.mode);
            return may_go_on(pattern, path_of(table_, it), it.waves, table_.size());
        });
    return ranked(std::move(all));
}

std::vector<Found> Tracker::ranked(std::vector<Found> all) const {
    const Rarity rarity = rarity_of(table_, table_.size(), settings_);
    for (Found& it : all) {
        it.standing = rarity.standing(it.shape, it.waves, it.score);
        // Whenever it was found, the window is the whole series as it is now.
        it.window_end = table_.size();
    }
    std::ranges::sort(all, better);
    return all;
}

}  // namespace plimsoll::waves
