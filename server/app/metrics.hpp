#pragma once

#include "server/base/awaitable.hpp"
#include "server/http/wire/traffic.hpp"
#include "server/postgres/database.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

namespace plimsoll::app {

// A metric whose values are read at scrape time.
class Reading {
  public:
    Reading(prometheus::MetricType type, std::string name, std::string help) {
        family_.type = type;
        family_.name = std::move(name);
        family_.help = std::move(help);
    }

    Reading&& with(double value, std::vector<prometheus::ClientMetric::Label> labels = {}) && {
        add(value, std::move(labels));
        return std::move(*this);
    }
    void add(double value, std::vector<prometheus::ClientMetric::Label> labels = {}) {
        prometheus::ClientMetric metric;
        metric.label = std::move(labels);
        metric.gauge.value = value;
        metric.counter.value = value;
        family_.metric.push_back(std::move(metric));
    }
    prometheus::MetricFamily&& take() && { return std::move(family_); }

  private:
    prometheus::MetricFamily family_;
};

inline Reading gauge(std::string name, std::string help) {
    return {prometheus::MetricType::Gauge, std::move(name), std::move(help)};
}
// The name must end in _total.
inline Reading counter(std::string name, std::string help) {
    return {prometheus::MetricType::Counter, std::move(name), std::move(help)};
}

using Families = std::vector<prometheus::MetricFamily>;

// The Prometheus metrics of one `serve`. Queue and device metrics cover the whole installation and
// are the same from every server; the others are this process's own. For the I/O thread.
class Metrics {
  public:
    // The arguments must outlive this.
    Metrics(const http::Traffic& traffic, postgres::ServerDatabase& database,
            std::string_view version);

    // Call after each run of a duty.
    void on_duty_run(std::string_view duty, const Result<int>& done);

    // Prometheus' text format. Queries the database at most every few seconds; while it does not
    // respond, queue metrics are omitted, because stale values would look current.
    awaitable<std::string> text();

  private:
    awaitable<void> refresh_queue();
    Families database_metrics() const;

    const http::Traffic& traffic_;
    postgres::ServerDatabase& database_;
    prometheus::Registry registry_;
    prometheus::Family<prometheus::Counter>& duties_;
    prometheus::Counter& expired_;
    Families queue_;
    std::chrono::steady_clock::time_point queue_until_;
};

}  // namespace plimsoll::app
