#pragma once

#include "engine/waves/series/price_reader.hpp"

#include <array>
#include <optional>
#include <span>

namespace plimsoll::waves {

enum class Column { symbol, date, open, high, low, close };
inline constexpr std::size_t kColumns = 6;

// Which of the names stands for which column: the caller's choice, else the usual names in any
// case. Fails when a chosen one is missing or there is no close.
struct ColumnMap {
    std::array<std::optional<std::size_t>, kColumns> at;

    std::optional<std::size_t> operator[](Column column) const {
        return at[static_cast<std::size_t>(column)];
    }
};
Result<ColumnMap> map_columns(std::span<const std::string> names, const PriceReading& reading);

// A number with nothing around it but blanks; NaN for an empty field or "null", which are "not
// there". None when it is no number.
std::optional<double> parse_price(std::string_view text);

// What a field holds, in quotes and not too long, for messages.
std::string in_quotes(std::string_view field);

}  // namespace plimsoll::waves
