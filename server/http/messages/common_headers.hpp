#pragma once

#include "server/http/messages/request.hpp"
#include "server/http/messages/response.hpp"

#include <string>
#include <string_view>

namespace plimsoll::http {

void append_header(std::string& head, std::string_view name, std::string_view value);

// What every answer carries: request id, date, and the headers that keep browsers from guessing,
// framing, leaking and storing. An answer's own Cache-Control and Content-Security-Policy win.
void append_common_headers(std::string& head, const Response& response, const Request& request);

}  // namespace plimsoll::http
