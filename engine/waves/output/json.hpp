#pragma once

#include "engine/waves/report/chance_judge.hpp"
#include "engine/waves/settings/keys.hpp"

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::waves::output {

// A whole report. Bar indices count from the first bar of the file; dates are present if the series
// has them. `profile`: include the time taken.
nlohmann::json symbol_json(const SymbolReport& report, bool profile);

// One count, including its pivots as a line to draw (dates or indices, values, labels).
nlohmann::json count_json(const SymbolReport& report, const CountReport& count);

// Members of counts.
nlohmann::json parts_json(const Parts& parts);
// `offset`: bars of the file before the series.
nlohmann::json outlook_json(const Outlook& outlook, const Series& series, std::size_t offset);
// A count in brief: pattern, score, ends.
nlohmann::json brief_json(const SymbolReport& report, const Found& found);
// Adds the results of surrogates to the symbol_json() of a report made without them.
void add_judgement(const Judgement& judgement, nlohmann::json& symbol);

}  // namespace plimsoll::waves::output
