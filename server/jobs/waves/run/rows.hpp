#pragma once

#include "engine/waves/report/report.hpp"

#include <string>

namespace plimsoll::jobs::waves {

// The result row of a symbol, as a JSON line: the contract's columns about its best count, then
// "report" (as `plimsoll waves --format jsonl` writes it), "prices" and "close_ups" to draw it.
std::string result_row(std::int64_t index, const ::plimsoll::waves::SymbolReport& report,
                       bool profile);

}  // namespace plimsoll::jobs::waves
