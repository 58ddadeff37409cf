#pragma once

#include "server/terminal/files/input_file.hpp"

namespace plimsoll::terminal {

// For kinds that run on no records: complete arguments from a .json file. Errc::invalid_input where
// it is a file of records, or columns of one are chosen.
Result<JobInput> read_arguments_file(const std::string& file,
                                     const std::vector<std::string>& columns);

}  // namespace plimsoll::terminal
