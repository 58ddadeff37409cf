#pragma once

#include "server/http/messages/application.hpp"
#include "server/http/messages/request.hpp"

#include <chrono>

namespace plimsoll::http {

// One line per response: server errors at warn, writes at info, and reads, which are frequent, at
// debug. `sent`: the client received the whole response.
void log_answer(const Request& request, const Subject& subject, int status,
                std::chrono::duration<double> took, bool sent);

}  // namespace plimsoll::http
