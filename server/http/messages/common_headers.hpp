#pragma once

#include "server/http/messages/request.hpp"
#include "server/http/messages/response.hpp"

#include <ctime>
#include <string>
#include <string_view>

namespace plimsoll::http {

// RFC 9110's IMF-fixdate.
std::string http_date(std::time_t time);

void append_header(std::string& head, std::string_view name, std::string_view value);

// Headers of every response: request id, date, and security headers against content sniffing,
// framing, referrer leaks and caching. A response's own Cache-Control and Content-Security-Policy
// take precedence.
void append_common_headers(std::string& head, const Response& response, const Request& request);

}  // namespace plimsoll::http
