#include "tests/unit/engine/waves/naive.hpp"

#include <cmath>
#include <functional>
#include <optional>
#include <set>

namespace plimsoll::waves::testing {
namespace {

using Prices = std::vector<double>;

struct Swing {
    double value = 0;
    int bar = 0;
};

// The highest of a run of rising highs that starts behind bar i and above `from`.
Swing first_high(const Prices& highs, double from, int i) {
    Swing best{from, i};
    for (int j = i + 1; j < static_cast<int>(highs.size()) && highs[j] > best.value; ++j)
        best = {highs[j], j};
    return best;
}

// The next peak above `before`; none when the data end before the peak is over.
std::optional<Swing> next_high(const Prices& lows, const Prices& highs, Swing before) {
    Swing best{lows[before.bar], -1};
    bool above = false;
    for (int k = before.bar + 1; k < static_cast<int>(highs.size()); ++k) {
        const double high = highs[k];
        if (high < before.value && !above) continue;
        if (high > before.value && !above) {
            above = true;
            best = {high, k};
        } else if (high > best.value) {
            best = {high, k};
        } else {
            return best;
        }
    }
    return {};
}

// Ends of the rising waves from bar i that skip 0, 1, … up_to - 1 swings, each end once.
std::vector<int> rises(const Prices& lows, const Prices& highs, int i, int up_to) {
    Swing top = first_high(highs, lows[i], i);
    std::vector<int> ends{top.bar};
    for (int k = 1; k < up_to; ++k) {
        const auto next = next_high(lows, highs, top);
        if (!next || next->value <= top.value) break;
        top = *next;
        ends.push_back(top.bar);
    }
    return ends;
}

Prices negated(const Prices& prices) {
    Prices out;
    for (double price : prices) out.push_back(-price);
    return out;
}

// One side of a series: as it is, or upside down.
struct Side {
    Prices lows, highs;
    Prices mirrored_lows, mirrored_highs;
    Side(Prices l, Prices h)
        : lows(std::move(l)),
          highs(std::move(h)),
          mirrored_lows(negated(highs)),
          mirrored_highs(negated(lows)) {}
};

enum class Check { none, skipping, always };

// Ends of the waves from bar i, rising or falling, without those that a bar before the end (the
// end itself does not count) takes beyond the start.
std::vector<int> ends(const Side& side, bool rise, int i, int up_to, Check check) {
    const Prices& lows = rise ? side.lows : side.mirrored_lows;
    const Prices& highs = rise ? side.highs : side.mirrored_highs;
    std::vector<int> out;
    const auto all = rises(lows, highs, i, up_to);
    for (std::size_t k = 0; k < all.size(); ++k) {
        bool broken = false;
        for (int j = i; j < all[k]; ++j) broken = broken || lows[j] < lows[i];
        if (broken && (check == Check::always || (check == Check::skipping && k > 0))) break;
        out.push_back(all[k]);
    }
    return out;
}

bool below_between(const Side& side, int from, int to, double limit) {
    for (int i = from; i < to; ++i)
        if (side.lows[i] < limit) return true;
    return false;
}

// The ends of a count and what its waves measure.
struct Built {
    std::vector<int> at;
    std::vector<double> price, length;
    std::vector<double> bars;
};

// Calls `judge` with every combination of ends, `waves` of them.
void each_combination(const Side& side, int start, int waves, int up_to, Check rises_checked,
                      Check falls_checked, const std::function<void(const Built&)>& judge) {
    Built built{{start}, {side.lows[start]}, {0}, {0}};
    const std::function<void()> extend = [&] {
        const int done = static_cast<int>(built.at.size()) - 1;
        if (done == waves) return judge(built);
        const bool rise = done % 2 == 0;
        const int from = built.at.back();
        for (int end : ends(side, rise, from, up_to, rise ? rises_checked : falls_checked)) {
            if (end == from) continue;  // without extent: no rule lets such a wave pass
            built.at.push_back(end);
            built.price.push_back(rise ? side.highs[end] : side.lows[end]);
            built.length.push_back(std::abs(built.price[done + 1] - built.price[done]));
            built.bars.push_back(end - from);
            extend();
            built.at.pop_back();
            built.price.pop_back();
            built.length.pop_back();
            built.bars.pop_back();
        }
    };
    extend();
}

// What impulses and diagonals of both modes share.
bool five_waves(const Side& side, const Built& b) {
    const auto& p = b.price;
    const auto& len = b.length;
    return !below_between(side, b.at[2], b.at[4], p[2]) &&
           !below_between(side, b.at[4], b.at[5], p[4]) && p[2] > p[0] && len[2] >= 0.2 * len[1] &&
           9 * b.bars[2] > b.bars[1] && !(len[3] < len[5] && len[3] < len[1]) && p[3] > p[1] &&
           len[3] >= len[1] / 3.0 && len[3] > len[2] && 7 * b.bars[3] > b.bars[1] &&
           len[4] > len[2] / 3.0 && p[5] > p[3];
}

bool converges(const Built& b) {
    const double lower = (b.price[4] - b.price[2]) / (b.at[4] - b.at[2]);
    const double upper = (b.price[3] - b.price[1]) / (b.at[3] - b.at[1]);
    return lower > upper && upper > 0;
}

std::vector<NaiveCount> in_order(std::set<NaiveCount> counts) {
    return {counts.begin(), counts.end()};
}

}  // namespace

std::vector<NaiveCount> naive_compatible(const Prices& lows, const Prices& highs, int up_to) {
    std::set<NaiveCount> out;
    const Side up(lows, highs);
    const Side down(negated(highs), negated(lows));
    for (int start = 0; start < static_cast<int>(lows.size()); ++start) {
        each_combination(up, start, 5, up_to, Check::none, Check::skipping, [&](const Built& b) {
            const auto& len = b.length;
            if (!five_waves(up, b) || !(len[5] < 2 * len[1])) return;
            if (b.price[4] > b.price[1]) out.insert({"impulse", b.at});
            if (b.price[4] < b.price[1] && converges(b) && len[5] > 0.70 * len[1] &&
                len[5] < len[3])
                out.insert({"leading_diagonal", b.at});
        });
        each_combination(down, start, 5, up_to, Check::skipping, Check::none, [&](const Built& b) {
            if (five_waves(down, b) && b.length[5] < 2 * b.length[1] && b.price[4] > b.price[1])
                out.insert({"bearish_impulse", b.at});
        });
        each_combination(down, start, 3, up_to, Check::skipping, Check::none, [&](const Built& b) {
            const auto& len = b.length;
            if (b.price[0] < b.price[2] && b.price[1] < b.price[3] && len[1] > len[2] &&
                b.bars[2] < 10 * b.bars[1] && len[3] > 0.6 * len[1] && len[3] < 2.61 * len[1] &&
                len[2] > 0.35 * len[1] && len[2] < 0.618 * len[1] && b.bars[3] < 10 * b.bars[1])
                out.insert({"corrective", b.at});
        });
    }
    return in_order(std::move(out));
}

std::vector<NaiveCount> naive_standard(const Prices& lows, const Prices& highs, int up_to) {
    std::set<NaiveCount> out;
    for (const bool rising : {true, false}) {
        const Side side = rising ? Side(lows, highs) : Side(negated(highs), negated(lows));
        const std::string direction = rising ? " up" : " down";
        for (int start = 0; start < static_cast<int>(lows.size()); ++start) {
            if (start > 0 && side.lows[start - 1] < side.lows[start]) continue;
            const auto add = [&](const char* rule, const Built& b) {
                out.insert({rule + direction, b.at});
            };
            each_combination(side, start, 5, up_to, Check::always, Check::always,
                             [&](const Built& b) {
                                 const auto& len = b.length;
                                 if (!five_waves(side, b)) return;
                                 if (b.price[4] > b.price[1] && len[5] < 2.618 * len[1])
                                     add("impulse", b);
                                 if (b.price[4] < b.price[1] && converges(b) && len[4] < len[2] &&
                                     len[5] < len[3])
                                     add("leading_diagonal", b);
                             });
            each_combination(
                side, start, 3, up_to, Check::always, Check::always, [&](const Built& b) {
                    const double a = b.length[1];
                    const double back = b.length[2];
                    const double c = b.length[3];
                    const bool beyond = b.price[3] > b.price[1];
                    if (b.bars[2] >= 10 * b.bars[1] || b.bars[3] >= 10 * b.bars[1]) return;
                    if (b.price[2] > b.price[0] && back > 0.236 * a && back < 0.786 * a && beyond &&
                        c >= 0.618 * a && c <= 2.618 * a)
                        add("zigzag", b);
                    if (back >= 0.9 * a && back <= 1.05 * a && beyond && c <= 1.382 * a)
                        add("flat_regular", b);
                    if (back <= 1.05 * a || back > 1.382 * a) return;
                    if (beyond && c <= 2.618 * a) add("flat_expanded", b);
                    if (!beyond && c >= 0.618 * a) add("flat_running", b);
                });
        }
    }
    return in_order(std::move(out));
}

}  // namespace plimsoll::waves::testing
