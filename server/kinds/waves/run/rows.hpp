#pragma once

#include "engine/waves/report/chance_judge.hpp"
#include "engine/waves/report/report.hpp"
#include "server/kinds/waves/contract/request.hpp"
#include "server/kinds/waves/run/partial.hpp"

#include <string>

#include <nlohmann/json_fwd.hpp>

// Prices for drawing a report's counts.

namespace plimsoll::jobs::waves {

inline constexpr std::size_t kMaxPoints = 1000;

// The bars `begin` to `end` of the searched series, each `step` of them merged, so that at most
// kMaxPoints remain. "first" and "step" count bars of the file.
nlohmann::json prices_json(const ::plimsoll::waves::SymbolReport& report, std::size_t begin,
                           std::size_t end);

// The bars around a count, with margins on both sides; of a live one up to the last bar.
nlohmann::json close_up_json(const ::plimsoll::waves::SymbolReport& report,
                             const ::plimsoll::waves::CountReport& count);

// The symbol's first live count as the summary has it; null: nothing is live at the last bar.
nlohmann::json live_json(const ::plimsoll::waves::SymbolReport& report);
// The result row of a symbol: the contract's columns about its live and best counts, then "report"
// (as `plimsoll waves --format jsonl` writes it), and "prices" and "close_ups" for drawing it.
nlohmann::json result_row(std::int64_t index, const ::plimsoll::waves::SymbolReport& report,
                          bool profile);
// Writes the judgement by surrogates into the row of a report without any.
void judge_row(const ::plimsoll::waves::Judgement& judgement, nlohmann::json& row);
// As a JSON line: its place and symbol first.
std::string row_text(nlohmann::json row);

// Symbols that the report lists, best first; all symbols have a result row.
inline constexpr std::size_t kRankedSymbols = 250;

// The report's summary of all symbols.
nlohmann::json summary_json(const Request& request, Partial all);

}  // namespace plimsoll::jobs::waves
