#include "server/http/access/cookies.hpp"

namespace plimsoll::http {
namespace {

std::string cookie(std::string_view name, std::string_view secret, std::string_view same_site,
                   std::chrono::seconds lifetime, bool secure) {
    std::string text(name);
    text += '=';
    text += secret;
    text += "; Path=/; HttpOnly; SameSite=";
    text += same_site;
    text += "; Max-Age=" + std::to_string(lifetime.count());
    if (secure) text += "; Secure";
    return text;
}

}  // namespace

std::string_view session_cookie_name(bool secure) {
    return secure ? "__Host-plimsoll" : "plimsoll_session";
}

std::string_view sign_in_cookie_name(bool secure) {
    return secure ? "__Host-plimsoll-sign-in" : "plimsoll_sign_in";
}

std::string_view sign_out_cookie_name(bool secure) {
    return secure ? "__Host-plimsoll-sign-out" : "plimsoll_sign_out";
}

std::string session_cookie(std::string_view secret, std::chrono::seconds lifetime, bool secure) {
    return cookie(session_cookie_name(secure), secret, "Lax", lifetime, secure);
}

std::string expired_session_cookie(bool secure) {
    return session_cookie("", std::chrono::seconds(0), secure);
}

// Only our own page sends it: the provider's redirect needs no cookie.
std::string sign_in_cookie(std::string_view secret, std::chrono::seconds lifetime, bool secure) {
    return cookie(sign_in_cookie_name(secure), secret, "Strict", lifetime, secure);
}

std::string expired_sign_in_cookie(bool secure) {
    return sign_in_cookie("", std::chrono::seconds(0), secure);
}

std::string sign_out_cookie(std::string_view id_token, std::chrono::seconds lifetime, bool secure) {
    // Browsers drop a cookie of more than 4096 bytes. Without the token, the provider asks.
    constexpr std::size_t kMostToken = 3800;
    return cookie(sign_out_cookie_name(secure), id_token.size() > kMostToken ? "-" : id_token,
                  "Strict", lifetime, secure);
}

std::string expired_sign_out_cookie(bool secure) {
    return sign_out_cookie("", std::chrono::seconds(0), secure);
}

}  // namespace plimsoll::http
