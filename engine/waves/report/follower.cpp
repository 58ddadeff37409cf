#include "engine/waves/report/follower.hpp"

#include "engine/waves/report/describe.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::waves {
namespace {

bool holds_count(const std::vector<CountReport>& counts, const Found& found) {
    return std::ranges::any_of(counts,
                               [&](const CountReport& it) { return it.count.same_count(found); });
}

// Those of `some` that `others` lacks.
std::vector<Found> missing(const std::vector<CountReport>& some,
                           const std::vector<CountReport>& others) {
    std::vector<Found> out;
    for (const CountReport& it : some)
        if (!holds_count(others, it.count)) out.push_back(it.count);
    return out;
}

// Whether the last bar invalidated the count, which held at the bar before.
bool just_broken(const CountReport& it, const std::vector<CountReport>& before) {
    if (!it.outlook.invalidated) return false;
    const auto was = std::ranges::find_if(
        before, [&](const CountReport& old) { return old.count.same_count(it.count); });
    return was != before.end() && !was->outlook.invalidated;
}

}  // namespace

Follower::Follower(Settings settings, std::uint64_t max_nodes)
    : settings_(std::move(settings)), tracker_(settings_, max_nodes) {
    report_.by_rarity = settings_.by_rarity();
}

Result<void> Follower::take(const Series& from, std::size_t begin, std::size_t end) {
    Series& series = report_.series;
    if (series.size() == 0) {
        report_.symbol = series.symbol = from.symbol;
        series.close_only = from.close_only;
        series.zone = from.zone;
    } else if (series.time.empty() != from.time.empty()) {
        return fail(Errc::invalid_input, "Some bars have a date and others have none.");
    } else if (!series.time.empty() && begin < end && from.time[begin] <= series.time.back()) {
        return fail(Errc::invalid_input, "New bars must be later than those before them.");
    }
    const auto part = [&](const std::vector<double>& column) {
        return std::span(column).subspan(begin, end - begin);
    };
    TRY_DO(tracker_.append(part(from.low), part(from.high)));
    const auto append = [&](auto& column, const auto& more) {
        if (more.empty()) return;
        column.insert(column.end(), more.begin() + static_cast<std::ptrdiff_t>(begin),
                      more.begin() + static_cast<std::ptrdiff_t>(end));
    };
    append(series.time, from.time);
    append(series.open, from.open);
    append(series.high, from.high);
    append(series.low, from.low);
    append(series.close, from.close);
    return {};
}

Result<FollowStep> Follower::add(const Series& series, std::size_t bar) {
    TRY_DO(take(series, bar, bar + 1));
    const auto described = [&](const std::vector<Ranked>& ranking) {
        std::vector<CountReport> out;
        for (const Ranked& ranked : ranking)
            out.push_back(describe(ranked, tracker_.table(), report_.series, settings_.mode));
        return out;
    };
    const auto before = std::exchange(
        report_.counts,
        described(rank(tracker_.counts(), static_cast<std::size_t>(settings_.top_n),
                       settings_.max_overlap, static_cast<std::size_t>(settings_.alternates))));
    const auto open_before =
        std::exchange(report_.open, described(rank_open(tracker_.open(), settings_)));

    FollowStep step{.bar = report_.series.size() - 1,
                    .close = report_.series.close.back(),
                    .effort = tracker_.effort(),
                    .added = missing(report_.counts, before),
                    .removed = missing(before, report_.counts),
                    .broken = {}};
    for (const CountReport& it : report_.counts)
        if (just_broken(it, before)) step.broken.push_back(it);
    for (const CountReport& it : report_.open)
        if (just_broken(it, open_before)) step.broken.push_back(it);
    return step;
}

Result<void> followable(const Settings& settings) {
    const auto refuse = [](const char* key, const char* why) {
        return fail(Errc::invalid_input, "Bars can only be followed " + std::string(why),
                    "/" + std::string(key));
    };
    if (settings.windowed) return refuse("windows", "in the series as a whole, not in windows.");
    if (!settings.every_bar) return refuse("starts", "with every bar as a start.");
    if (!settings.start_bars.empty()) return refuse("start_bars", "with every bar as a start.");
    if (settings.days > 0) return refuse("days", "from the first one on; omit earlier ones.");
    if (settings.pre_score_top_k > 0 || settings.pre_score_threshold > 0)
        return refuse(settings.pre_score_top_k > 0 ? "pre_score_top_k" : "pre_score_threshold",
                      "with every bar as a start.");
    if (settings.skip_flat_windows || settings.min_volatility > 0)
        return refuse(settings.skip_flat_windows ? "skip_flat_windows" : "min_volatility",
                      "without filters.");
    if (settings.max_combinations > 0) return refuse("max_combinations", "without caps.");
    if (settings.surrogates > 0)
        return refuse("surrogates",
                      "without chance series: each bar would need its own comparison.");
    if (settings.top_n == 0) return refuse("top_n", "with a ranking of at least one count.");
    return {};
}

}  // namespace plimsoll::waves
