#pragma once

#include "engine/waves/series/price_reader.hpp"
#include "server/terminal/files/input_file.hpp"

#include <string>
#include <vector>

namespace plimsoll::jobs::waves {

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
