#pragma once

#include "engine/waves/report/report.hpp"
#include "engine/waves/settings/keys.hpp"

#include <span>
#include <string>

// Plain text for terminals.
namespace plimsoll::waves::output {

std::string symbol_text(const SymbolReport& report);
// What was searched and skipped, over all symbols.
std::string totals_text(std::span<const SymbolReport> reports);
// CPU time of the searches, excluding surrogates.
std::string time_text(std::span<const SymbolReport> reports);
// The same symbol by symbol, and how many nodes each rule ended.
std::string profile_text(std::span<const SymbolReport> reports);
// Every setting: name, values, and meaning or why it has no effect.
std::string keys_text();

}  // namespace plimsoll::waves::output
