#pragma once

#include "server/kinds/waves/contract/request.hpp"
#include "server/kinds/waves/run/partial.hpp"

namespace plimsoll::jobs::waves {

// Symbols that the report lists, best first; all symbols have a result row.
inline constexpr std::size_t kRankedSymbols = 250;

// The report's summary of all symbols.
nlohmann::json summary_json(const Request& request, Partial all);

}  // namespace plimsoll::jobs::waves
