#pragma once

#include "server/terminal/files/input_file.hpp"

namespace plimsoll::terminal {

// For kinds without records: complete arguments from a .json file. Errc::invalid_input if it is a
// file of records, or columns are given.
Result<JobInput> read_arguments_file(const std::string& file,
                                     const std::vector<std::string>& columns);

}  // namespace plimsoll::terminal
