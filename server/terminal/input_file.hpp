#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::client {

struct Input {
    nlohmann::json args;
    // What of the file is not sent, one remark a member: where it first stands, and its name.
    std::vector<std::string> left_out;
    bool too_long = false;  // for one request: nothing is in `args`, upload the file instead
};

// A job's arguments from a file: the whole of a .json file, or {"items": [...]} with an item per
// record of a .jsonl or .csv file ("-" reads JSON lines from standard input). `columns` says which
// column of the file is which member: "text=headline", "custom_id=id". Errc::invalid_input names
// the line.
Result<Input> read_input_file(const std::string& file, const std::vector<std::string>& columns);

// The same for a kind that takes a file of prices as it is: {"prices", "format", "symbol"}, where
// the symbol is the file's name for rows that name none. Broken rows are the server's to tell.
Result<Input> read_price_file(const std::string& file, const std::vector<std::string>& columns);

// "member=column" as an object.
nlohmann::json column_args(const std::vector<std::string>& columns);

}  // namespace plimsoll::client
