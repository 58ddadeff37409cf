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

}  // namespace plimsoll::http
