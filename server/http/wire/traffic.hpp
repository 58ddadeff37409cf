#pragma once

#include "server/http/messages/application.hpp"
#include "server/http/messages/request.hpp"

#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include <prometheus/registry.h>

namespace prometheus {
class Gauge;
class Histogram;
}  // namespace prometheus

namespace plimsoll::http {

// HTTP metrics: requests, connections and event streams. Teams and users are not labels, because
// readers of metrics do not need to know them. For the I/O thread.
class Traffic {
  public:
    Traffic();

    // `took`: from the request's head to the response's. The body (a download, a stream) takes as
    // long as the client chooses. Operation names must outlive this.
    void answered(std::string_view operation, int status, std::chrono::duration<double> took);
    prometheus::Gauge& connections() { return connections_; }
    prometheus::Gauge& event_streams() { return event_streams_; }

    const prometheus::Collectable& metrics() const { return registry_; }

  private:
    prometheus::Registry registry_;
    prometheus::Family<prometheus::Histogram>& requests_;
    // Counters of `requests_` by operation and status: its own look-up would build a label map each
    // time.
    std::map<std::pair<std::string_view, int>, prometheus::Histogram*> by_subject_;
    prometheus::Gauge& connections_;
    prometheus::Gauge& event_streams_;
};

// Increments `gauge` for its lifetime.
class Counted {
  public:
    explicit Counted(prometheus::Gauge& gauge);
    ~Counted();
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

  private:
    prometheus::Gauge& gauge_;
};

// How a request was answered.
struct Answered {
    int status = 0;
    std::string location;                // the response's field Location
    std::chrono::duration<double> took;  // from the request's head to the response's
    bool sent = false;                   // the client received the whole response
};

// One line per response: server errors at warn, writes at info, and reads, which are frequent, at
// debug.
void log_answer(const Request& request, const Subject& subject, const Answered& answered);

// Ends the request's span. One that begins a trace is recorded for callers with a credential only,
// not for probes and pages.
void trace_answer(const Request& request, const Subject& subject, const Answered& answered);

}  // namespace plimsoll::http
