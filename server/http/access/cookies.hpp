#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace plimsoll::http {

// Browsers accept a __Host- cookie only over TLS and drop it silently otherwise, so plain HTTP uses
// another name.
std::string_view session_cookie_name(bool secure);
// Of a sign-in at the identity provider.
std::string_view sign_in_cookie_name(bool secure);
// Of a session at the identity provider that ends with the one here.
std::string_view sign_out_cookie_name(bool secure);

// Values of Set-Cookie.
std::string session_cookie(std::string_view secret, std::chrono::seconds lifetime, bool secure);
std::string expired_session_cookie(bool secure);
std::string sign_in_cookie(std::string_view secret, std::chrono::seconds lifetime, bool secure);
std::string expired_sign_in_cookie(bool secure);
std::string sign_out_cookie(std::string_view id_token, std::chrono::seconds lifetime, bool secure);
std::string expired_sign_out_cookie(bool secure);

}  // namespace plimsoll::http
