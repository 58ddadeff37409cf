#pragma once

#include "engine/base/result.hpp"

#include <string>

namespace plimsoll::terminal {

// Refuses a file that cannot hold records, by its first bytes, and says what to do with it: an
// empty file, a spreadsheet, an archive, UTF-16, a list in JSON, or plain text where its name
// promises JSON lines.
Result<void> check_records_file(const std::string& file);

}  // namespace plimsoll::terminal
