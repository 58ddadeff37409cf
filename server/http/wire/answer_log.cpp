#include "server/http/wire/answer_log.hpp"

#include "server/base/log.hpp"
#include "server/http/messages/trace_context.hpp"

#include <cmath>

namespace plimsoll::http {

namespace {

log::Level level_of(const Request& request, int status) {
    if (status >= 500) return log::Level::warn;
    const bool read = request.method == "GET" || request.method == "HEAD";
    return read ? log::Level::debug : log::Level::info;
}

}  // namespace

void log_answer(const Request& request, const Subject& subject, int status,
                std::chrono::duration<double> took, bool sent) {
    const auto level = level_of(request, status);
    if (!log::is_written(level)) return;
    log::write(level, "answered",
               {{"request", request.id},
                {"trace", std::string(trace_id(request))},
                {"team", subject.team},
                {"method", request.method},
                {"path", request.target.substr(0, request.target.find('?'))},
                {"operation", std::string(subject.operation)},
                {"status", std::to_string(status)},
                {"duration_ms", std::to_string(std::lround(took.count() * 1e3))},
                {"sent", sent ? "yes" : "no"}});
}

}  // namespace plimsoll::http
