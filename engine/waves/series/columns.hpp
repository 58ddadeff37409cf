#pragma once

#include "engine/waves/series/price_reader.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::waves {

enum class Column { symbol, date, time, year, month, open, high, low, close };
inline constexpr std::size_t kColumns = 9;

// Maps names to columns: the caller's choice, by name or as "#2", else the usual names in any case
// and in several languages. `time` is a time of day beside the date. With `year` and `month`, the
// date is a day of the month, or missing: the first. Fails when a chosen one is missing or there is
// no close.
struct ColumnMap {
    std::array<std::optional<std::size_t>, kColumns> at;

    std::optional<std::size_t> operator[](Column column) const {
        return at[static_cast<std::size_t>(column)];
    }
};
Result<ColumnMap> map_columns(std::span<const std::string> names, const PriceReading& reading);

// Whether a column of this name may hold closes, or any price.
bool names_close(std::string_view name);
bool names_price(std::string_view name);

// How many kinds of columns the fields of a line name.
std::size_t known_names(std::string_view line);

inline std::string_view name_of(Column column) {
    constexpr std::array<std::string_view, kColumns> kNames = {
        "symbol", "date", "time", "year", "month", "open", "high", "low", "close"};
    return kNames[static_cast<std::size_t>(column)];
}

// A number, perhaps with a currency's sign or code and thousands set apart; NaN (missing) for an
// empty field, "null", "N/A", "-" or ".". None when it is not a number.
std::optional<double> parse_price(std::string_view text, bool decimal_comma = false);

// What numbers say about their decimal separator: each text is a price.
enum class Decimals { unknown, point, comma, either };
Decimals decimals_of(std::string_view text);

// A field's content, quoted and truncated, for messages.
std::string in_quotes(std::string_view field);

}  // namespace plimsoll::waves
