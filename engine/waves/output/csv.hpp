#pragma once

#include "engine/waves/report/report.hpp"

#include <string>

namespace plimsoll::waves::output {

// A flat table: a line a count, finished ones by rank, then those under way; a line with an error
// for a symbol that has one.
std::string csv_header();
std::string csv_rows(const SymbolReport& report);

}  // namespace plimsoll::waves::output
