#pragma once

#include "server/terminal/files/input_file.hpp"

#include <string>
#include <vector>

namespace plimsoll::jobs::waves {

// A job's arguments from a file of prices, which is sent as it is, because a single row is not an
// item: {"prices", "format", "symbol"}, where the symbol is the file's name for rows that name
// none. A .json file holds complete arguments. The server reports broken rows.
Result<terminal::JobInput> read_price_file(const std::string& file,
                                           const std::vector<std::string>& columns);

}  // namespace plimsoll::jobs::waves
