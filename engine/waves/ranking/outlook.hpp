#pragma once

#include "engine/waves/search/path.hpp"

#include <string_view>
#include <vector>

namespace plimsoll::waves {

// A price target, and its derivation: of the move after a count, or of the one in progress.
struct Target {
    double price = 0;
    std::string_view basis;     // "wave 5 = 0.618 x wave 1"
    double risk_multiple = 0;   // distance to it over distance to the invalidation, from the last
                                // close; 0 if the target was reached, the count is invalidated,
                                // or the target lies on the invalidation's side
    std::int32_t reached = -1;  // the first bar after the count at this price; -1: none yet
};

// The forecast of a count, in real prices.
struct Outlook {
    std::string_view expects;  // "a fifth wave up", "a correction", ...
    bool upward = false;       // where the targets lie
    double invalidation = 0;   // the count is invalid once the price goes beyond this
    bool invalidated = false;  // the price has done so since the end of the count
    bool live = false;         // it says what may come: not invalidated, a target is still ahead,
                               // and its end is no older than the count is long
    std::vector<Target> targets;
};

// Targets are retracements and multiples by the golden section (Frost and Prechter, chapter 4).
// `path` on its side of the table, with `waves` finished waves; `last`: the latest close on that
// side (negated for falling patterns). Bars after the count up to `end` decide whether it was
// invalidated and which targets were reached.
Outlook outlook(const Pattern& pattern, const Path& path, int waves, bool rising, double last,
                std::int32_t end);

}  // namespace plimsoll::waves
