#include "server/app/metrics.hpp"

#include "server/app/process_metrics.hpp"
#include "server/app/queue_metrics.hpp"
#include "server/postgres/workers/statistics.hpp"
#include "server/queue/share_store.hpp"
#include "server/queue/store.hpp"

#include <prometheus/gauge.h>
#include <prometheus/text_serializer.h>

namespace plimsoll::app {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kQueueFreshness{5};

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

}  // namespace

Metrics::Metrics(const http::Traffic& traffic, postgres::ServerDatabase& database,
                 std::string_view version)
    : traffic_(traffic),
      database_(database),
      duties_(prometheus::BuildCounter()
                  .Name("plimsoll_duty_runs_total")
                  .Help("Runs of background duties, by outcome")
                  .Register(registry_)),
      expired_(prometheus::BuildCounter()
                   .Name("plimsoll_leases_expired_total")
                   .Help("Workers whose leases this server expired after missed heartbeats")
                   .Register(registry_)
                   .Add({})) {
    prometheus::BuildGauge()
        .Name("plimsoll_build_info")
        .Help("Always 1, with the version as label")
        .Register(registry_)
        .Add({{"version", std::string(version)}})
        .Set(1);
}

void Metrics::on_duty_run(std::string_view duty, const Result<int>& done) {
    duties_.Add({{"duty", std::string(duty)}, {"outcome", done ? "done" : "failed"}}).Increment();
    if (done && duty == "expire_leases") expired_.Increment(*done);
}

asio::awaitable<std::string> Metrics::text() {
    co_await refresh_queue();
    auto all = registry_.Collect();
    append(all, traffic_.metrics().Collect());
    append(all, database_metrics());
    append(all, queue_);
    append(all, process_metrics());
    co_return prometheus::TextSerializer().Serialize(all);
}

asio::awaitable<void> Metrics::refresh_queue() {
    if (std::chrono::steady_clock::now() < queue_until_) co_return;
    // Set before waiting, so that concurrent scrapes are served the cached values.
    queue_until_ = std::chrono::steady_clock::now() + kQueueFreshness;
    Families fresh;
    const auto depth = co_await database_.background().statistics.depth();
    if (depth) fresh = queue_metrics(*depth);
    if (depth) {
        if (const auto devices = co_await database_.stores().jobs.devices()) {
            append(fresh, device_metrics(*devices));
        }
    }
    if (depth) {
        if (const auto holders = co_await database_.stores().shares.vacuum_holders()) {
            append(fresh, vacuum_metrics(*holders));
        }
    }
    queue_ = std::move(fresh);
}

Families Metrics::database_metrics() const {
    const auto load = database_.load();
    auto connections = gauge("plimsoll_database_connections", "Connections for requests, by state");
    connections.add(static_cast<double>(load.open), {{"state", "open"}});
    connections.add(static_cast<double>(load.configured), {{"state", "configured"}});
    auto calls = gauge("plimsoll_database_calls", "Calls in flight or waiting");
    calls.add(static_cast<double>(load.under_way), {{"state", "under_way"}});
    calls.add(static_cast<double>(load.waiting), {{"state", "waiting"}});
    Families all;
    all.push_back(std::move(connections).take());
    all.push_back(std::move(calls).take());
    return all;
}

}  // namespace plimsoll::app
