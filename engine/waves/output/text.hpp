#pragma once

#include "engine/waves/report/report.hpp"
#include "engine/waves/settings/keys.hpp"

#include <span>
#include <string>

// Plain text for terminals.
namespace plimsoll::waves::output {

std::string symbol_text(const SymbolReport& report);
// What was searched and left out, over all symbols.
std::string totals_text(std::span<const SymbolReport> reports);
// Processor time of the searches, surrogates aside.
std::string time_text(std::span<const SymbolReport> reports);
// Every setting: name, values, meaning, or why it changes nothing.
std::string keys_text();

}  // namespace plimsoll::waves::output
