#include "server/http/wire/traffic.hpp"

#include "server/base/log.hpp"
#include "server/http/messages/request.hpp"

#include <cmath>

#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

namespace plimsoll::http {
namespace {

// Seconds: from a cached read to a long poll, which waits for 60 s at most.
const prometheus::Histogram::BucketBoundaries kBuckets = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60};

prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

std::string_view path_of(const Request& request) {
    const std::string_view target = request.target;
    return target.substr(0, target.find('?'));
}

log::Level level_of(const Request& request, int status) {
    if (status >= 500) return log::Level::warn;
    const bool read = request.method == "GET" || request.method == "HEAD";
    return read ? log::Level::debug : log::Level::info;
}

}  // namespace

Traffic::Traffic()
    : requests_(prometheus::BuildHistogram()
                    .Name("http_server_request_duration_seconds")
                    .Help("Time from the head of a request to the head of its response, by "
                          "operation and status")
                    .Register(registry_)),
      connections_(gauge(registry_, "plimsoll_http_connections", "Open connections")),
      event_streams_(gauge(registry_, "plimsoll_http_event_streams", "Open event streams")) {}

void Traffic::answered(std::string_view operation, int status, std::chrono::duration<double> took) {
    const auto [known, is_new] = by_subject_.try_emplace({operation, status});
    if (is_new) {
        known->second = &requests_.Add(
            {{"operation", std::string(operation)}, {"status", std::to_string(status)}}, kBuckets);
    }
    known->second->Observe(took.count());
}

Counted::Counted(prometheus::Gauge& gauge) : gauge_(gauge) { gauge_.Increment(); }

Counted::~Counted() { gauge_.Decrement(); }

void log_answer(const Request& request, const Subject& subject, const Answered& answered) {
    const auto level = level_of(request, answered.status);
    if (!log::is_written(level)) return;
    log::write(level, "answered",
               {{"request", request.id},
                {"trace", trace_id(request)},
                {"team", subject.team},
                {"method", request.method},
                {"path", std::string(path_of(request))},
                {"operation", std::string(subject.operation)},
                {"status", std::to_string(answered.status)},
                {"location", answered.location},
                {"duration_ms", std::to_string(std::lround(answered.took.count() * 1e3))},
                {"sent", answered.sent ? "yes" : "no"}});
}

void trace_answer(const Request& request, const Subject& subject, const Answered& answered) {
    if (!request.span.context || (request.span.parent == 0 && subject.team.empty())) return;
    const bool failed = answered.status >= 500;
    const auto status = std::to_string(answered.status);
    tracing::record(request.span,
                    {.name = subject.operation,
                     .kind = tracing::Kind::server,
                     .at = SystemClock().now(),
                     .error = failed ? std::string_view(status) : ""},
                    {{"http.request.method", request.method},
                     {"url.path", path_of(request)},
                     {"http.response.status_code", std::int64_t{answered.status}},
                     {"http.response.header.location", answered.location},
                     {"plimsoll.request", request.id},
                     {"plimsoll.team", subject.team}});
}

}  // namespace plimsoll::http
