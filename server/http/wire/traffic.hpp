#pragma once

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

// What the HTTP front counts: requests, connections and event streams. Teams and users are no
// labels: whoever may read the metrics need not know them. For the I/O thread.
class Traffic {
  public:
    Traffic();

    // `took`: from the request's head to the answer's. What comes after it (a download, a stream)
    // takes as long as the client likes.
    // Names of operations outlive this.
    void answered(std::string_view operation, int status, std::chrono::duration<double> took);
    prometheus::Gauge& connections() { return connections_; }
    prometheus::Gauge& event_streams() { return event_streams_; }

    const prometheus::Collectable& metrics() const { return registry_; }

  private:
    prometheus::Registry registry_;
    prometheus::Family<prometheus::Histogram>& requests_;
    // What `requests_` holds, by operation and status: its own look-up makes a map of labels.
    std::map<std::pair<std::string_view, int>, prometheus::Histogram*> by_subject_;
    prometheus::Gauge& connections_;
    prometheus::Gauge& event_streams_;
};

// Counts one more in `gauge` for as long as it lives.
class Counted {
  public:
    explicit Counted(prometheus::Gauge& gauge);
    ~Counted();
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

  private:
    prometheus::Gauge& gauge_;
};

}  // namespace plimsoll::http
