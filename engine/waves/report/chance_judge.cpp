#include "engine/waves/report/chance_judge.hpp"

#include <algorithm>
#include <iterator>

namespace plimsoll::waves {

Judgement::Judgement(const SymbolReport& report)
    : surrogates(report.surrogates), best(report.chance_best) {
    if (surrogates == 0) return;
    for (const CountReport& it : report.counts) counts.push_back(it.chance.value_or(Chance{}));
    for (const KindReport& it : report.kinds) kinds.push_back(it.chance.value_or(Chance{}));
}

void Judgement::add(const Judgement& other) {
    if (other.surrogates == 0) return;
    if (surrogates == 0) {
        *this = other;
        return;
    }
    const auto sum = [](std::vector<Chance>& into, const std::vector<Chance>& more) {
        for (std::size_t i = 0; i < into.size(); ++i) {
            into[i].k += more.at(i).k;
            into[i].k_kind += more.at(i).k_kind;
        }
    };
    sum(counts, other.counts);
    sum(kinds, other.kinds);
    surrogates += other.surrogates;
    std::vector<double> all;
    std::ranges::merge(best, other.best, std::back_inserter(all));
    best = std::move(all);
}

ChanceJudge::ChanceJudge(SymbolReport& report, const Settings& settings)
    : report_(report),
      settings_(settings),
      maker_(report.series, settings.method, settings.block_bars),
      week_(bars_per_week(report.series, settings)),
      best_(static_cast<std::size_t>(settings.surrogates)) {
    for (const CountReport& it : report.counts)
        judged_.push_back(
            {it.count.score, it.count.standing, kind_index(it.count.shape, it.count.rising)});
    for (const KindReport& kind : report.kinds)
        judged_.push_back({kind.best, kind.standing, kind_index(kind.shape, kind.rising)});
    chances_.resize(judged_.size());
}

void ChanceJudge::add(std::uint32_t from, std::uint32_t to, const Watch& watch) {
    std::vector<Chance> chances(judged_.size());
    // Disjoint pieces: no lock.
    const auto best = std::span(best_).subspan(from, to - from);
    add_chances(maker_, report_.series, settings_, week_, from, to, judged_, chances, best, watch);
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < chances.size(); ++i) {
        chances_[i].k += chances[i].k;
        chances_[i].k_kind += chances[i].k_kind;
    }
}

void ChanceJudge::make(std::uint32_t number, Series& surrogate) const {
    maker_.make(Random(settings_.seed, report_.series.symbol, settings_.first_surrogate + number),
                surrogate);
}

void ChanceJudge::note(std::uint32_t number, const std::array<double, kKinds>& scores,
                       double highest) {
    const std::lock_guard lock(mutex_);
    best_[number] = highest;
    add_chance(scores, highest, judged_, chances_);
}

void ChanceJudge::finish() {
    auto chance = chances_.begin();
    for (CountReport& it : report_.counts) it.chance = *chance++;
    for (KindReport& kind : report_.kinds) {
        if (kind.valid > 0) kind.chance = *chance;
        ++chance;
    }
    report_.surrogates = static_cast<std::uint32_t>(best_.size());
    std::erase(best_, kNoStanding);
    std::ranges::sort(best_);
    report_.chance_best = std::move(best_);
}

}  // namespace plimsoll::waves
