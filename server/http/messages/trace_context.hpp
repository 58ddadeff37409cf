#pragma once

#include "server/http/messages/request.hpp"

#include <string_view>

namespace plimsoll::http {

// The trace id in the field `traceparent` (W3C Trace Context, level 1), 32 hexadecimal digits: log
// lines include it, so that a request can be found by its caller's trace. Empty without a valid
// one; later versions may append fields after the flags.
std::string_view trace_id(const Request& request);

}  // namespace plimsoll::http
