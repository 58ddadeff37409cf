#pragma once

#include "engine/waves/series/price_reader.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::waves {

enum class Column { symbol, date, open, high, low, close };
inline constexpr std::size_t kColumns = 6;

// Maps names to columns: the caller's choice, else the usual names in any case. Fails when a chosen
// one is missing or there is no close.
struct ColumnMap {
    std::array<std::optional<std::size_t>, kColumns> at;

    std::optional<std::size_t> operator[](Column column) const {
        return at[static_cast<std::size_t>(column)];
    }
};
Result<ColumnMap> map_columns(std::span<const std::string> names, const PriceReading& reading);

inline std::string_view name_of(Column column) {
    constexpr std::array<std::string_view, kColumns> kNames = {"symbol", "date", "open",
                                                               "high",   "low",  "close"};
    return kNames[static_cast<std::size_t>(column)];
}

// A number with optional surrounding blanks; NaN (missing) for an empty field or "null". None when
// it is not a number.
std::optional<double> parse_price(std::string_view text);

// A field's content, quoted and truncated, for messages.
std::string in_quotes(std::string_view field);

}  // namespace plimsoll::waves
