#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

struct JobInput {
    nlohmann::json args = {};
    // Members of the file that are not sent, one remark each: the first line that has it, and its
    // name.
    std::vector<std::string> left_out = {};
    std::string understood = {};  // of a CSV file: "columns: text, id; 5,000 records; …"
    bool too_long = false;        // for one request: `args` is empty, upload the file instead
};

// A job's arguments from a file: the whole of a .json file, or {"items": [...]} with an item per
// record of a .jsonl or .csv file ("-" reads JSON lines from standard input). `columns` says which
// column of the file is which member: "text=headline", "custom_id=id", or by its place in a CSV
// file without a header line: "text=#2". Errc::invalid_input names the line.
Result<JobInput> read_input_file(const std::string& file, const std::vector<std::string>& columns);

// The whole of a file, or of standard input for "-", in UTF-8. Errc::invalid_input: it cannot be
// read, or is neither UTF-8 nor UTF-16.
Result<std::string> read_text(const std::string& file);

}  // namespace plimsoll::terminal
