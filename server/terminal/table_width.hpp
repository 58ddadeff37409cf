#pragma once

#include "server/terminal/terminal.hpp"

#include <cstddef>

namespace plimsoll::terminal {

// The columns that tables keep to: those of the terminal; 0 on a pipe, where they take their room.
std::size_t table_width(const Terminal& terminal);

}  // namespace plimsoll::terminal
