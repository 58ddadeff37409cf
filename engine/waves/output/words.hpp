#pragma once

#include "engine/waves/report/report.hpp"

#include <string>

// The words of reports, shared by all formats.
namespace plimsoll::waves::output {

// "impulse up", "expanded flat down".
std::string pattern_words(Shape shape, bool rising);
// The date of a bar in the series' zone; without dates, its index counted from `offset`.
std::string date_words(const Series& series, std::int32_t bar, std::size_t offset);
std::string bar_words(const SymbolReport& report, std::int32_t bar);
// Reasons why a search was not exhaustive, one sentence each; empty: it was exhaustive.
std::vector<std::string> omissions(const Coverage& coverage);
// Says that counts are missing from the list; empty: the list is complete.
std::string ranking_note(const SymbolReport& report);
// Explains rarities when settings exclude starts or ends; empty otherwise, or when rarities are
// unknown.
std::string rarity_note(const Settings& settings);
// A rarity in words: "about one random walk in 20 has such a count". See Rarity.
std::string rarity_words(double rarity);
// The chance of a count in plain words: the number of surrogates, compared by rarity or by score.
std::string chance_words(const Chance& chance, std::uint32_t surrogates, bool by_rarity);

}  // namespace plimsoll::waves::output
