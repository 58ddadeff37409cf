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

// What Prometheus may ask of one `serve`. Queue and devices are the whole installation's and the
// same from every server; the rest is this process's own. For the I/O thread.
class Metrics {
  public:
    // All of it must outlive this.
    Metrics(const http::Traffic& traffic, postgres::ServerDatabase& database,
            std::string_view version);

    // To be called after each run of a duty.
    void duty_ran(std::string_view duty, const Result<int>& done);

    // Prometheus' text format. Asks the database at most every few seconds; while that does not
    // answer, the queue's metrics are left out, since old ones would pass for news.
    boost::asio::awaitable<std::string> text();

  private:
    boost::asio::awaitable<void> look_at_queue();
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
