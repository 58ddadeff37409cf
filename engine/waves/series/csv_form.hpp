#pragma once

#include "engine/waves/series/columns.hpp"
#include "engine/waves/series/timestamps.hpp"

#include <span>
#include <string>
#include <vector>

namespace plimsoll::waves {

using Fields = std::vector<std::string>;

// How a price file writes its table, which its first rows show.
struct CsvForm {
    struct Part {
        std::string symbol;  // empty: of a column, or the file's
        ColumnMap columns;
    };
    std::vector<Part> parts;    // more than one: a symbol has columns of its own
    std::size_t fields = 0;     // of a row
    std::size_t headers = 0;    // rows above the first bar; 0: names are missing
    bool below_others = false;  // names, below a source's address or a title
    DayOrder order = DayOrder::day_first;
    bool decimal_comma = false;
    std::string told;  // what is unusual, in words
};

// `rows`: the file's first ones, header included. Fails when there is no close, or when two
// readings are possible.
Result<CsvForm> form_of(std::span<const Fields> rows, const PriceReading& reading);

// Whether the row is one of bars, not of names.
bool is_bar(const Fields& row);

// Whether the text is a day of the calendar, not a number that may be seconds.
bool is_day(std::string_view text);

}  // namespace plimsoll::waves
