#pragma once

#include "engine/base/result.hpp"
#include "engine/waves/series/price_reader.hpp"
#include "server/terminal/files/input_file.hpp"

#include <set>
#include <string>
#include <vector>

namespace plimsoll::jobs::waves {

inline constexpr const char* kSymbolsHelp =
    "Search these symbols only: AAPL,MSFT, or a .txt file (one per line) or a .csv file (column "
    "symbol or ticker)";

// The symbols of --symbols: names, and files that list some. A .txt file separates them by white
// space or commas, and # starts a comment; a .csv or .tsv file has them in the column symbol or
// ticker, or in its only column. Empty: all. Errc::invalid_input names the file.
Result<std::set<std::string>> wanted_symbols(const std::vector<std::string>& given);
// The same, for a job's arguments.
Result<std::vector<std::string>> listed_symbols(const std::vector<std::string>& given);

// How to read prices whose columns are given as "member=column". Errc::invalid_input: a member that
// prices do not have.
Result<::plimsoll::waves::PriceReading> price_reading(const std::vector<std::string>& columns);

// A missing column usually has another name: adds the flag that maps it, and the file.
Error with_column_flag(Error error, const std::string& file);

// A job's arguments from a file of prices, which is sent as it is, because a single row is not an
// item: {"prices", "format", "symbol"}, where the symbol is the file's name for rows that name
// none. A .json file holds complete arguments. The server reports broken rows.
Result<terminal::JobInput> read_price_file(const std::string& file,
                                           const std::vector<std::string>& columns);

}  // namespace plimsoll::jobs::waves
