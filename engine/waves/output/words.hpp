#pragma once

#include "engine/waves/report/report.hpp"

#include <string>

// How reports name things, in all formats alike.
namespace plimsoll::waves::output {

// "impulse up", "expanded flat down".
std::string pattern_words(Shape shape, bool rising);
// The date of a bar, as the series tells it; without dates, its number counted from `offset`.
std::string date_words(const Series& series, std::int32_t bar, std::size_t offset);
std::string bar_words(const SymbolReport& report, std::int32_t bar);
// Why a search was not exhaustive, a sentence each; empty: it was.
std::vector<std::string> omissions(const Coverage& coverage);
// Where rarities are known and the settings leave out starts or ends: what rarities then are. Else
// empty.
std::string rarity_note(const Settings& settings);
// What a rarity means: "about one random walk in 20 holds such a count". See Rarity.
std::string rarity_words(double rarity);
// What the chance of a count means, in plain words: of so many surrogates, compared by rarity or by
// score.
std::string chance_words(const Chance& chance, std::uint32_t surrogates, bool by_rarity);

}  // namespace plimsoll::waves::output
