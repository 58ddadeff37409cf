#include "engine/waves_device/gathering.hpp"

#include "engine/waves/scan/count_parts.hpp"
#include "engine/waves/scoring/unfinished.hpp"
#include "engine/waves_device/source.hpp"

#include <algorithm>

namespace plimsoll::waves {
namespace {

constexpr double kAll = -std::numeric_limits<double>::infinity();

Found found_of(const DeviceCount& it, const Pattern& pattern, bool rising,
               const Itinerary& itinerary) {
    const Window& window = itinerary.windows[static_cast<std::size_t>(it.window)];
    Found found{.score = it.score,
                .window_begin = window.begin,
                .window_end = window.end,
                .shape = pattern.shape,
                .rising = rising,
                .waves = static_cast<std::uint8_t>(it.waves())};
    std::copy_n(it.at, it.waves() + 1, found.at.begin());
    return found;
}

std::size_t bin_of(double score) {
    return static_cast<std::size_t>(
        std::clamp(score * kScoreBins, 0.0, static_cast<double>(kScoreBins - 1)));
}

}  // namespace

// As many as random walks hold, plus a margin.
std::uint32_t Gathering::first_capacity(const SearchInput& input) {
    constexpr std::size_t kABar = 8;
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>(kABar * input.lows.size(), 512, 1 << 20));
}

Keeping Gathering::first_keeping(const FamilyView& family, const SearchInput& input) {
    return {std::vector<double>(family.patterns.size(), kAll), first_capacity(input)};
}

Gathering::Gathering(const SearchInput& input, const Settings& settings, std::size_t keep)
    : input_(input),
      settings_(settings),
      keep_(keep),
      target_(keep),
      rarity_(rarity_of(*input.table, input.itinerary->longest_window(), settings)) {}

void Gathering::take(const FamilyView& family, bool rising, LaneResult lane) {
    Side& side = sides_[rising];
    // Histograms are whole in the first search only: with floors not all counts are scored.
    if (!side.floors.empty()) lane.histogram = std::move(side.lane.histogram);
    side.family = family;
    side.lane = std::move(lane);
}

// The highest standing that this many counts reach for certain.
double Gathering::standing_reached_by(std::size_t count) const {
    std::vector<std::pair<double, std::size_t>> steps;  // the least standing of a bin, its counts
    for (const auto& [rising, side] : sides_) {
        for (std::size_t p = 0; p < side.family.patterns.size(); ++p) {
            const Pattern& pattern = side.family.patterns[p];
            for (std::size_t bin = 0; bin < kScoreBins; ++bin) {
                const std::size_t counts = side.lane.histogram[p * kScoreBins + bin];
                const double min = static_cast<double>(bin) / kScoreBins;
                if (counts > 0)
                    steps.emplace_back(rarity_.standing(pattern.shape, pattern.waves, min), counts);
            }
        }
    }
    std::ranges::sort(steps, std::greater<>{});
    std::size_t reached = 0;
    for (const auto& [standing, counts] : steps) {
        reached += counts;
        if (reached >= count) return standing;
    }
    return kAll;
}

std::vector<std::pair<bool, Keeping>> Gathering::missing() {
    const bool all = std::ranges::all_of(sides_, [](const auto& it) { return it.second.lane.all; });
    if (all) {
        rank();
        const bool floors =
            std::ranges::any_of(sides_, [](const auto& it) { return !it.second.floors.empty(); });
        if (!floors || more_) return {};
        // Duplicates from several windows left too few counts.
        target_ *= 4;
    }
    const double standing = standing_reached_by(target_);
    std::vector<std::pair<bool, Keeping>> again;
    for (auto& [rising, side] : sides_) {
        side.floors.clear();
        std::size_t capacity = side.lane.counters[kOpenCounts];
        for (std::size_t p = 0; p < side.family.patterns.size(); ++p) {
            const Pattern& pattern = side.family.patterns[p];
            const double floor = rarity_.min_score(pattern.shape, pattern.waves, standing);
            side.floors.push_back(floor);
            for (std::size_t bin = bin_of(floor); bin < kScoreBins; ++bin)
                capacity += side.lane.histogram[p * kScoreBins + bin];
        }
        again.push_back({rising, {side.floors, static_cast<std::uint32_t>(capacity)}});
        // Without a floor every count is kept: none can be missing.
        if (standing == kAll) side.floors.clear();
    }
    return again;
}

void Gathering::add_lane(const Side& side, bool rising, Pool& counts, Pool& open) const {
    const FamilyView& family = side.family;
    const std::size_t n = family.patterns.size();
    double threshold = 0;
    std::vector<double> floors(n);
    const auto set_floors = [&] {
        threshold = counts.threshold();
        for (std::size_t p = 0; p < n; ++p)
            floors[p] =
                rarity_.min_score(family.patterns[p].shape, family.patterns[p].waves, threshold);
    };
    set_floors();
    for (const DeviceCount& it : side.lane.kept) {
        const auto p = static_cast<std::size_t>(it.pattern());
        const Pattern& pattern = family.patterns[p];
        if (it.waves() == pattern.waves && it.score < floors[p]) continue;
        Found found = found_of(it, pattern, rising, *input_.itinerary);
        if (it.waves() == pattern.waves) {
            found.standing = rarity_.standing(found.shape, found.waves, found.score);
            counts.add(found);
            if (counts.threshold() != threshold) set_floors();
            continue;
        }
        const Path path = path_of(*input_.table, found);
        if (!may_go_on(pattern, path, found.waves, found.window_end)) continue;
        found.score = total(count_parts(*input_.table, found, settings_.mode), settings_.weights);
        found.standing = rarity_.standing(found.shape, found.waves, found.score);
        open.add(found);
    }
}

void Gathering::rank() {
    const bool windowed = input_.itinerary->windows.size() > 1;
    Pool counts(keep_, windowed);
    Pool open(std::max(kOpenKept, keep_), windowed);
    for (const bool rising : {true, false})
        if (const auto side = sides_.find(rising); side != sides_.end())
            add_lane(side->second, rising, counts, open);
    counts_ = counts.take();
    more_ = counts.overflowed();
    open_ = open.take();
}

bool Gathering::may_be_cut() const {
    return settings_.max_combinations > 0 && std::ranges::any_of(sides_, [&](const auto& it) {
               return it.second.lane.counters[kNodes] >= settings_.max_combinations;
           });
}

SearchResult Gathering::result() {
    SearchResult result;
    result.counts = std::move(counts_);
    result.open = std::move(open_);
    result.more = more_;
    result.best.fill(-1);
    const Itinerary& itinerary = *input_.itinerary;
    Coverage& coverage = result.coverage;
    coverage.windows = itinerary.windows.size() - itinerary.quiet_windows;
    coverage.quiet_windows = itinerary.quiet_windows;
    coverage.filtered_starts = itinerary.filtered_starts;
    coverage.all_windows = itinerary.all_windows;
    for (const auto& [rising, side] : sides_) {
        coverage.starts += itinerary.starts(rising).size();
        coverage.nodes += side.lane.counters[kNodes];
        coverage.cut_chains += side.lane.counters[kCutChains];
        for (std::size_t p = 0; p < side.family.patterns.size(); ++p) {
            const Pattern& pattern = side.family.patterns[p];
            const std::size_t kind = kind_index(pattern.shape, rising);
            result.best[kind] = side.lane.best[p];
            coverage.valid[kind] += side.lane.counters[kFinished + p];
            for (int r = 0; r < pattern.rule_count; ++r)
                if (const auto pruned = side.lane.counters[rule_counter(side.family, p, r)];
                    pruned > 0)
                    coverage.pruned[std::string(pattern.rules[r].name)] += pruned;
        }
    }
    return result;
}

}  // namespace plimsoll::waves
