#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>

namespace plimsoll::terminal {

// Refuses a file that cannot hold records, by its first bytes, and says what to do with it: an
// empty file, a spreadsheet, an archive, UTF-16, a list in JSON, or plain text where its name
// promises JSON lines.
Result<void> check_records_file(const std::string& file);

// Whether the records of a file may have this member: of CSV, if the header names it; of JSON
// lines, always, since each record has its own members. Never of a .json file, which holds a job's
// arguments.
bool may_have_column(const std::string& file, std::string_view name);

}  // namespace plimsoll::terminal
