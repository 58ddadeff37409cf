#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

// A text member of a response; empty if it is null, not text, or missing, as in responses of
// another version.
inline std::string text_of(const nlohmann::json& object, const char* member) {
    const auto found = object.find(member);
    return found == object.end() || !found->is_string() ? "" : found->get<std::string>();
}

}  // namespace plimsoll::terminal
