#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

// A text of an answer; empty where the member is null, is no text, or is not there, as in the
// answers of another version.
inline std::string text_of(const nlohmann::json& object, const char* member) {
    const auto found = object.find(member);
    return found == object.end() || !found->is_string() ? "" : found->get<std::string>();
}

}  // namespace plimsoll::terminal
