#pragma once

#include "engine/waves/search/pattern.hpp"

#include <span>
#include <utility>

// Compile-time analysis of a family of patterns.
namespace plimsoll::waves::plan {

// How a term changes as the search extends the wave `depth`.
enum class Growth { falls, stays, rises, unknown };

constexpr Growth growth(const Term& term, int depth) {
    if (term.depth() < depth) return Growth::stays;
    switch (term.quantity) {
        case Quantity::length:
        case Quantity::bars:
        case Quantity::bar:
        case Quantity::shorter_of_1_and_5: return Growth::rises;
        case Quantity::price: return depth % 2 == 1 ? Growth::rises : Growth::falls;
        default: return Growth::unknown;
    }
}

// Whether a rule, once broken, stays broken for all longer forms of the wave.
constexpr bool final_when_broken(const Rule& rule) {
    const Growth left = growth(rule.left, rule.depth());
    const Growth right = growth(rule.right, rule.depth());
    return (left == Growth::falls || left == Growth::stays) &&
           (right == Growth::rises || right == Growth::stays);
}

// Whether two patterns have the same rules up to this wave.
constexpr bool alike(const Pattern& a, const Pattern& b, int depth) {
    if (depth > a.waves || depth > b.waves) return false;
    int i = 0;
    int j = 0;
    const auto skip = [depth](const Pattern& p, int& k) {
        while (k < p.rule_count && p.rules[k].depth() > depth) ++k;
    };
    while (true) {
        skip(a, i);
        skip(b, j);
        if (i == a.rule_count || j == b.rule_count) return i == a.rule_count && j == b.rule_count;
        if (!(a.rules[i++] == b.rules[j++])) return false;
    }
}

// The patterns, as bits, that this one represents at this depth: those with equal rules. 0 when an
// earlier pattern represents it, or when it is complete before this depth.
constexpr unsigned group(std::span<const Pattern> patterns, std::size_t p, int depth) {
    if (depth > patterns[p].waves) return 0;
    unsigned members = 0;
    for (std::size_t q = 0; q < patterns.size(); ++q) {
        if (!alike(patterns[p], patterns[q], depth)) continue;
        if (q < p) return 0;
        members |= 1u << q;
    }
    return members;
}

// The patterns that have exactly this many waves, or more.
constexpr unsigned with_waves(std::span<const Pattern> patterns, int waves, bool or_more) {
    unsigned members = 0;
    for (std::size_t p = 0; p < patterns.size(); ++p) {
        const int has = patterns[p].waves;
        if (has == waves || (or_more && has > waves)) members |= 1u << p;
    }
    return members;
}

// Calls f with an integral constant for each of 0..N-1.
template <std::size_t N, class F>
[[gnu::always_inline]] constexpr void each(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
        (f(std::integral_constant<std::size_t, I>{}), ...);
    }(std::make_index_sequence<N>{});
}

}  // namespace plimsoll::waves::plan
