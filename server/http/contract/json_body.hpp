#pragma once

#include "server/http/messages/problem.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::http {

// Offset of the first invalid UTF-8 byte; nullopt if the text is valid.
std::optional<std::size_t> invalid_utf8(std::string_view text);

// 400 with the byte offset if the text is not UTF-8, not JSON, or nested deeper than
// limits::kJsonDepth.
Outcome<nlohmann::json> parse_json(std::string_view text);

}  // namespace plimsoll::http
