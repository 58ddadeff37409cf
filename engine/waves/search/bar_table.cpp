#include "engine/waves/search/bar_table.hpp"

namespace plimsoll::waves {
namespace {

// For every bar the next one whose value is higher (or at least as high).
void next_above(std::span<const double> values, bool or_equal, std::vector<std::int32_t>& next) {
    const auto n = static_cast<std::int32_t>(values.size());
    next.assign(values.size(), kNever);
    for (std::int32_t i = n - 2; i >= 0; --i) {
        std::int32_t k = i + 1;
        while (k != kNever && (or_equal ? values[k] < values[i] : values[k] <= values[i]))
            k = next[k];
        next[i] = k;
    }
}

}  // namespace

void BarTable::link(std::span<const double> lows, std::span<const double> highs,
                    std::vector<Link>& links, std::vector<std::uint8_t>& first_skip,
                    std::vector<std::int32_t>& higher) {
    const auto n = static_cast<std::int32_t>(lows.size());
    links.assign(lows.size(), {});
    first_skip.assign(lows.size(), 0);
    next_above(highs, false, higher);
    next_above(highs, true, as_high_);
    run_end_.resize(lows.size());
    for (std::int32_t i = n - 1; i >= 0; --i)
        run_end_[i] = i + 1 < n && highs[i + 1] > highs[i] ? run_end_[i + 1] : i;

    // A peak is known once a bar behind it is not higher. A wave that skips nothing takes the last
    // bar of the data for a peak all the same; longer waves do not.
    const auto settle = [&](std::int32_t rising, std::int32_t& end, std::int32_t& known) {
        if (rising == kNever || run_end_[rising] + 1 >= n) return;
        end = run_end_[rising];
        known = end + 1;
    };
    for (std::int32_t i = 0; i < n; ++i) {
        Link& it = links[i];
        // The next higher peak. One bar that only equals the old peak is passed over; where a
        // second one follows, or the old peak is a bar without extent, the chain ends.
        std::int32_t k = as_high_[i];
        if (k != kNever && highs[k] == highs[i]) {
            k = lows[i] == highs[i] ? kNever : as_high_[k];
            if (k != kNever && highs[k] == highs[i]) k = kNever;
        }
        settle(k, it.next, it.next_known);

        if (i + 1 >= n) continue;
        if (highs[i + 1] > lows[i]) {
            it.first = run_end_[i + 1];
            it.first_known = i + 1;
            continue;
        }
        // A gap away from the wave: its shortest form has no extent and only longer ones count.
        first_skip[i] = 1;
        k = i + 1;
        while (k != kNever && highs[k] < lows[i]) k = as_high_[k];
        if (k != kNever && highs[k] > lows[i]) settle(k, it.first, it.first_known);
    }
}

void BarTable::build(std::span<const double> lows, std::span<const double> highs) {
    const auto n = lows.size();
    negated_lows_.resize(n);
    negated_highs_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        negated_lows_[i] = -highs[i];
        negated_highs_[i] = -lows[i];
    }
    link(lows, highs, rises_, rise_skips_, overshoots_);
    link(negated_lows_, negated_highs_, falls_, fall_skips_, undercuts_);
    upright_.resize(n);
    mirrored_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        upright_[i] = {lows[i],       highs[i],       rises_[i],      falls_[i],
                       undercuts_[i], overshoots_[i], rise_skips_[i], fall_skips_[i]};
        mirrored_[i] = {-highs[i],      -lows[i],      falls_[i],      rises_[i],
                        overshoots_[i], undercuts_[i], fall_skips_[i], rise_skips_[i]};
    }
}

}  // namespace plimsoll::waves
