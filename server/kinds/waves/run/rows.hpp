#pragma once

#include "engine/waves/report/chance_judge.hpp"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::waves {

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

}  // namespace plimsoll::jobs::waves
