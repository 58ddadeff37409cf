#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// null for an empty text.
inline nlohmann::json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

}  // namespace plimsoll::jobs::sentiment
