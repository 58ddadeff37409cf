#pragma once

#include <cstdint>
#include <string>

// For result rows: a million of them must not go through a DOM.
namespace plimsoll::jobs {

// `units` / 10^decimals, for example (-3405, 4) as -0.3405. At most 9 decimals.
void append_decimal(std::string& out, std::int64_t units, int decimals);

}  // namespace plimsoll::jobs
