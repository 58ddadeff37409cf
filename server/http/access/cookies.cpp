#include "server/http/access/cookies.hpp"

namespace plimsoll::http {

std::string_view session_cookie_name(bool secure) {
    return secure ? "__Host-plimsoll" : "plimsoll_session";
}

std::string session_cookie(std::string_view secret, std::chrono::seconds lifetime, bool secure) {
    std::string cookie(session_cookie_name(secure));
    cookie += '=';
    cookie += secret;
    cookie += "; Path=/; HttpOnly; SameSite=Lax; Max-Age=" + std::to_string(lifetime.count());
    if (secure) cookie += "; Secure";
    return cookie;
}

std::string expired_session_cookie(bool secure) {
    return session_cookie("", std::chrono::seconds(0), secure);
}

}  // namespace plimsoll::http
