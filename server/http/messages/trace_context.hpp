#pragma once

#include "server/http/messages/request.hpp"

#include <string_view>

namespace plimsoll::http {

// The trace id in the field `traceparent` (W3C Trace Context, level 1), 32 hexadecimal digits: log
// lines carry it, so that a request is found by the trace of whoever made it. Empty without a valid
// one; a later version may say more behind the flags.
std::string_view trace_id(const Request& request);

}  // namespace plimsoll::http
