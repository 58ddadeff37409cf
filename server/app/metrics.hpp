#pragma once

#include "server/app/metric_family.hpp"
#include "server/http/wire/traffic.hpp"
#include "server/postgres/database.hpp"

#include <chrono>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <prometheus/counter.h>
#include <prometheus/registry.h>

namespace plimsoll::app {

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
    boost::asio::awaitable<std::string> text();

  private:
    boost::asio::awaitable<void> refresh_queue();
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
