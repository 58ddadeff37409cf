#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::oidc {

// Base64 with the URL-safe alphabet and without padding (RFC 7515, 2). Decoding is strict: nullopt
// for anything that encoding does not produce.
std::string to_base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

std::string sha256(std::string_view bytes);

// For a URL's query or a form: everything but unreserved characters is escaped.
std::string escaped(std::string_view text);

// In a time that depends on the lengths only.
bool same_text(std::string_view a, std::string_view b);

// The text that an object has under this name; empty: none.
inline std::string text_in(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace plimsoll::oidc
