#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::terminal {

// Whether a column is chosen by its place, as in text=#2: the file then has no header line.
bool without_header(const std::vector<std::string>& columns);

// The header line that such a file lacks, by its beginning: "#1;#2;#3" and a line end. The
// separator is that of comma, semicolon and tab of which every one of the first records has the
// most outside of quotes.
std::string header_for(std::string_view beginning);

}  // namespace plimsoll::terminal
