#pragma once

#include "server/terminal/terminal.hpp"

#include <cstddef>

namespace plimsoll::terminal {

// The width of tables: that of the terminal; 0 on a pipe, where it is unlimited.
std::size_t table_width(const Terminal& terminal);

}  // namespace plimsoll::terminal
