#pragma once

#include "server/http/messages/request.hpp"
#include "server/http/messages/response.hpp"

#include <string>

namespace plimsoll::http {

// How a client wants its answer.
struct Manner {
    unsigned version = 11;
    bool keep_alive = true;
    bool head = false;  // the request was HEAD: no body
};

// Whether the body comes in chunks. HTTP/1.0 knows none: there, the end of the connection is the
// end of a stream whose length is not known.
bool is_chunked(const Response& response, Manner manner);

// The status line and all fields of an answer, with the empty line behind them.
std::string response_head(const Response& response, const Request& request, Manner manner);

}  // namespace plimsoll::http
