#pragma once

#include "engine/waves/report/check_count.hpp"
#include "engine/waves/series/price_rows.hpp"
#include "engine/waves/series/timestamps.hpp"

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::waves::output {

// A count drawn by a user.
struct DrawnCount {
    Shape shape = Shape::impulse;
    bool rising = true;
    std::vector<std::int32_t> ends;  // bars of the series
};

nlohmann::json check_json(const Series& series, const DrawnCount& drawn,
                          const CheckedCount& checked);

struct CheckText {
    bool valid = false;
    std::string text;
};

// Judges a count that is written "PATTERN up|down END,END,…", for example "impulse up
// 38,45,48,57,76,84": ends are bar indices of the file or dates, see bar_named(). `symbols` must be
// one.
Result<CheckText> check_text(std::span<const SymbolPrices> symbols, std::string_view count,
                             const Settings& settings, bool as_json);

}  // namespace plimsoll::waves::output
