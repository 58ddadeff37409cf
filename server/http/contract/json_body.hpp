#pragma once

#include "server/http/messages/problem.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::http {

// Offset of the first invalid UTF-8 byte; nullopt if the text is valid.
std::optional<std::size_t> invalid_utf8(std::string_view text);

// An upper bound on the memory that the parsed text takes, in bytes. JSON of many small values
// takes up to forty times its size. Examines punctuation only, at a fraction of the cost of
// parsing.
std::size_t parsed_size(std::string_view text);

// 400 with the byte offset if the text is not UTF-8, not JSON, nested deeper than
// limits::kJsonDepth, or has a name with U+0000 or one name twice in an object (readers disagree
// about which value counts).
Outcome<nlohmann::json> parse_json(std::string_view text);

}  // namespace plimsoll::http
