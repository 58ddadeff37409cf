#pragma once

#include "server/http/messages/request.hpp"
#include "server/http/messages/response.hpp"

#include <string>

namespace plimsoll::http {

// How the client expects the response.
struct Manner {
    unsigned version = 11;
    bool keep_alive = true;
    bool head = false;  // the request was HEAD: no body
};

// Whether the body uses chunked encoding. HTTP/1.0 has none: there, closing the connection ends a
// stream of unknown length.
bool is_chunked(const Response& response, Manner manner);

// The status line and all header fields, with the trailing empty line.
std::string response_head(const Response& response, const Request& request, Manner manner);

}  // namespace plimsoll::http
