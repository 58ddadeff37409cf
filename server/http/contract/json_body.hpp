#pragma once

#include "server/http/messages/problem.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::http {

// The place of the first byte that is not UTF-8; nothing when all are.
std::optional<std::size_t> invalid_utf8(std::string_view text);

// 400 that names the byte: not UTF-8, nested deeper than limits::kJsonDepth, not JSON.
Outcome<nlohmann::json> parse_json(std::string_view text);

}  // namespace plimsoll::http
