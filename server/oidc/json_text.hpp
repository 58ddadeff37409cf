#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::oidc {

// The text that an object has under this name; empty: none.
inline std::string text_in(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace plimsoll::oidc
