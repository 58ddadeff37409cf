#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::terminal {

// Refuses a file that cannot hold records, by its first bytes, and says what to do with it: an
// empty file, a spreadsheet, an archive, a list in JSON, or plain text where its name
// promises JSON lines.
Result<void> check_records_file(const std::string& file);

// The same for a file of any text, which begins with `bytes`: what is wrong with it, or nothing.
std::string complaint_about_kind(std::string_view bytes);

// Whether the records of a file may have this member: of CSV, if the header names it; of JSON
// lines, always, since each record has its own members. Never of a .json file, which holds a job's
// arguments.
bool may_have_column(const std::string& file, std::string_view name);

// Whether a column is given by number, as in text=#2: the file then has no header line.
bool without_header(const std::vector<std::string>& columns);

// The header line for such a file, from its beginning: "#1;#2;#3" and a line end. The separator is
// comma, semicolon, tab or pipe, whichever occurs most often outside quotes in all of the first
// records.
std::string header_for(std::string_view beginning);

// Adds --column to a command of CLI11, which only commands may include: "member=column", for
// read_input_file() and column_args().
template <class Command>
void add_column_flag(Command& command, std::vector<std::string>& columns) {
    command.add_option("--column", columns,
                       "Map a member to a column of the file: text=headline, or text=#2 if the "
                       "file has no header line; repeatable");
}

}  // namespace plimsoll::terminal
