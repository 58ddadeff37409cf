#pragma once

#include "server/kinds/waves/contract/slices.hpp"

namespace plimsoll::jobs::waves {

// A result row of a symbol that has only errors, as a JSON line.
std::string failed_row(std::int64_t index, const std::string& symbol, std::string_view code,
                       std::string_view message);

// Rows for all symbols of a quarantined task, see Contract::failed_rows.
Result<std::string> failed_rows(std::string_view args, std::string_view input,
                                std::string_view reason);

// The first members of every row.
std::string row_head(std::int64_t index, const std::string& symbol);

// The errors of a symbol in one or a few sentences.
std::string error_text(std::span<const engine::RowError> errors, std::uint64_t count);

}  // namespace plimsoll::jobs::waves
