#pragma once

#include "server/http/response.hpp"

namespace plimsoll::http {

// What every answer carries: request id, date, and the headers that keep browsers from guessing,
// framing, leaking and storing. An answer's own Cache-Control and Content-Security-Policy win.
void add_common_headers(Response& response, const Request& request);

}  // namespace plimsoll::http
