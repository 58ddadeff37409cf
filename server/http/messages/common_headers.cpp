#include "server/http/messages/common_headers.hpp"

#include <array>

namespace plimsoll::http {
namespace {

// Made once a second. One I/O thread writes all answers.
const std::string& date() {
    static std::string text;
    static std::time_t made_at = 0;
    if (const auto now = std::time(nullptr); now != made_at) {
        text = http_date(now);
        made_at = now;
    }
    return text;
}

constexpr std::string_view kAlways =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

void append_default(std::string& head, const Response& response, std::string_view name,
                    std::string_view value) {
    if (!find_header(response.headers, name)) append_header(head, name, value);
}

}  // namespace

std::string http_date(std::time_t time) {
    std::tm parts{};
    gmtime_r(&time, &parts);
    std::array<char, 40> buffer{};
    const auto length =
        std::strftime(buffer.data(), buffer.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return {buffer.data(), length};
}

void append_header(std::string& head, std::string_view name, std::string_view value) {
    head += name;
    head += ": ";
    head += value;
    head += "\r\n";
}

void append_common_headers(std::string& head, const Response& response, const Request& request) {
    append_header(head, "X-Request-Id", request.id);
    append_header(head, "Date", date());
    head += kAlways;
    // A response with a version is worth storing, to be revalidated with If-None-Match.
    append_default(head, response, "Cache-Control",
                   find_header(response.headers, "ETag") ? "private, no-cache" : "no-store");
    append_default(head, response, "Content-Security-Policy",
                   "default-src 'none'; frame-ancestors 'none'");
    if (request.secure) append_header(head, "Strict-Transport-Security", "max-age=31536000");
}

}  // namespace plimsoll::http
