#pragma once

#include "server/base/time.hpp"

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {

inline nlohmann::json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

inline nlohmann::json time_or_null(const std::optional<Timestamp>& time) {
    return time ? nlohmann::json(to_rfc3339(*time)) : nlohmann::json(nullptr);
}

}  // namespace plimsoll::http::endpoints
