#include "server/http/common_headers.hpp"

#include <array>
#include <ctime>

namespace plimsoll::http {
namespace {

// RFC 9110's IMF-fixdate, made once a second. One I/O thread writes all answers.
const std::string& date() {
    static std::string text;
    static std::time_t made_at = 0;
    if (const auto now = std::time(nullptr); now != made_at) {
        std::tm parts{};
        gmtime_r(&now, &parts);
        std::array<char, 40> buffer{};
        const auto length =
            std::strftime(buffer.data(), buffer.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
        text.assign(buffer.data(), length);
        made_at = now;
    }
    return text;
}

void add_default(Response& response, std::string name, std::string value) {
    if (!find_header(response.headers, name)) response.with(std::move(name), std::move(value));
}

}  // namespace

void add_common_headers(Response& response, const Request& request) {
    response.with("X-Request-Id", request.id)
        .with("Date", date())
        .with("X-Content-Type-Options", "nosniff")
        .with("Referrer-Policy", "no-referrer")
        .with("Cross-Origin-Opener-Policy", "same-origin")
        .with("Cross-Origin-Resource-Policy", "same-origin");
    add_default(response, "Cache-Control", "no-store");
    add_default(response, "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    if (request.secure) response.with("Strict-Transport-Security", "max-age=31536000");
}

}  // namespace plimsoll::http
