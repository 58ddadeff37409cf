#pragma once

#include "engine/waves/report/report.hpp"

#include <string>

namespace plimsoll::waves::output {

// A flat table: one line per count, finished ones by rank, then those under way; one error line for
// a symbol that failed.
std::string csv_header();
std::string csv_rows(const SymbolReport& report);

}  // namespace plimsoll::waves::output
