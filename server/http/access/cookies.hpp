#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace plimsoll::http {

// Browsers take a __Host- cookie over TLS only and drop it silently otherwise, so plain HTTP has a
// name of its own.
std::string_view session_cookie_name(bool secure);

// Values of Set-Cookie.
std::string session_cookie(std::string_view secret, std::chrono::seconds lifetime, bool secure);
std::string expired_session_cookie(bool secure);

}  // namespace plimsoll::http
