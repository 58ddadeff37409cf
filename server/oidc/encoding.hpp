#pragma once

#include <optional>
#include <string>
#include <string_view>

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

}  // namespace plimsoll::oidc
