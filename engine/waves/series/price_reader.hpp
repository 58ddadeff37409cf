#pragma once

#include "engine/base/result.hpp"
#include "engine/waves/series/price_rows.hpp"
#include "engine/waves/series/timestamps.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::waves {

enum class PriceFormat { csv, json_lines };

struct PriceReading {
    std::string symbol = {};  // of files without a symbol column; often the file's name
    // Zone of times without one, and of all output; none: UTC, and output in the file's zone.
    std::optional<Zone> zone = {};
    // Unusual names of columns (CSV) or members (JSON); empty: the usual ones.
    std::string symbol_column = {}, date_column = {}, open_column = {}, high_column = {},
                low_column = {}, close_column = {};
};

// Reads prices of one or many symbols from a whole file. Only the close is needed. CSV: a header
// line with usual names in any case, or none, or two as yfinance writes them; fields separated by
// commas, semicolons, tabs or bars, quotes doubled inside quotes; dates and numbers as sites and
// programs write them, oldest or newest first. JSON lines: one object per bar, or one object per
// symbol whose members are arrays; or one list of such objects, or another document that holds
// prices (csv_of_document()). UTF-8; CSV may also be in
// Windows-1252, GB18030, CP932, CP949 or Big5. Fails when the file as a whole cannot be read, or
// when two readings are possible; broken rows are errors of their symbol. `told`: how the file was
// understood, where that is not plain.
Result<std::vector<SymbolPrices>> read_prices(std::string_view bytes, PriceFormat format,
                                              const PriceReading& reading,
                                              std::string* told = nullptr);

// By the first character: of a file whose name does not tell.
PriceFormat format_of_prices(std::string_view bytes);

// 'There are no symbols "A", "B" and 3 more.', and for one symbol the known one that it may mean.
// `missing` must not be empty.
std::string unknown_symbols(const std::set<std::string>& missing,
                            const std::set<std::string>& known);

}  // namespace plimsoll::waves
