#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::terminal {

// Whether a column is given by number, as in text=#2: the file then has no header line.
bool without_header(const std::vector<std::string>& columns);

// The header line for such a file, from its beginning: "#1;#2;#3" and a line end. The separator is
// comma, semicolon, tab or pipe, whichever occurs most often outside quotes in all of the first
// records.
std::string header_for(std::string_view beginning);

}  // namespace plimsoll::terminal
