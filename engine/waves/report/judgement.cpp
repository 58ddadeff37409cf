#include "engine/waves/report/judgement.hpp"

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

}  // namespace plimsoll::waves
