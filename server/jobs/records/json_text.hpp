#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Writes JSON piece by piece, for result rows: a million of them must not go through a DOM.
namespace plimsoll::jobs {

// `text`, well-formed UTF-8, as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

// `units` / 10^decimals, for example (-3405, 4) as -0.3405. At most 9 decimals.
void append_decimal(std::string& out, std::int64_t units, int decimals);

}  // namespace plimsoll::jobs
