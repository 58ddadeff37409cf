#pragma once

#include <string>
#include <vector>

namespace plimsoll::terminal {

// Adds --column to a command of CLI11, which only commands may include: "member=column", for
// read_input_file() and column_args().
template <class Command>
void add_column_flag(Command& command, std::vector<std::string>& columns) {
    command.add_option("--column", columns,
                       "Map a member to a column of the file: text=headline, or text=#2 if the "
                       "file has no header line; repeatable");
}

}  // namespace plimsoll::terminal
