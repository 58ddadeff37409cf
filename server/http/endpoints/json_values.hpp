#pragma once

#include "server/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {

// Stored text should be valid UTF-8; invalid bytes must not fail a response.
inline std::string to_text(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

inline nlohmann::json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

inline nlohmann::json number_or_null(const std::optional<std::int64_t>& number) {
    return number ? nlohmann::json(*number) : nlohmann::json(nullptr);
}

inline nlohmann::json time_or_null(const std::optional<Timestamp>& time) {
    return time ? nlohmann::json(to_rfc3339(*time)) : nlohmann::json(nullptr);
}

template <class Items, class Shown>
nlohmann::json array_of(const Items& items, const Shown& shown) {
    auto list = nlohmann::json::array();
    for (const auto& item : items) list.push_back(shown(item));
    return list;
}

}  // namespace plimsoll::http::endpoints
