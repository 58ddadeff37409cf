#pragma once

#include "engine/base/result.hpp"

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

}  // namespace plimsoll::jobs::waves
