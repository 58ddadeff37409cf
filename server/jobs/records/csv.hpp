#pragma once

#include "server/jobs/kind.hpp"

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs {

// `kept`: names of the members of the column `kept`, each of which becomes a column in its place.
void append_csv_header(std::string& out, std::span<const Column> columns,
                       std::span<const std::string> kept = {});

// One line with CRLF. Members that `row` lacks, and nulls, are empty cells; arrays and objects are
// written as JSON. A text that begins with = + - @ tab or CR gets a leading ' so that no
// spreadsheet runs it as a formula; numbers stay numbers.
void append_csv_row(std::string& out, std::span<const Column> columns,
                    std::span<const std::string> kept, const nlohmann::json& row);

}  // namespace plimsoll::jobs
