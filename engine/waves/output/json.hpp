#pragma once

#include "engine/waves/report/judgement.hpp"
#include "engine/waves/settings/keys.hpp"

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::waves::output {

// All of a report. Indices of bars count from the first bar of the file; dates are there where the
// series has them. `profile`: with the time taken.
nlohmann::json symbol_json(const SymbolReport& report, bool profile);

// One count, with its pivots also as a line to draw (dates or indices, values, labels).
nlohmann::json count_json(const SymbolReport& report, const CountReport& count);

// Members of counts.
nlohmann::json parts_json(const Parts& parts);
nlohmann::json outlook_json(const Outlook& outlook);
// A count in a few words: pattern, score, ends.
nlohmann::json brief_json(const SymbolReport& report, const Found& found);
// Writes into symbol_json() of a report without surrogates what these say of it.
void add_judgement(const Judgement& judgement, nlohmann::json& symbol);

}  // namespace plimsoll::waves::output
