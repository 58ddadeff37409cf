#pragma once

#include "engine/base/result.hpp"
#include "server/base/time.hpp"
#include "server/http/access/caller_limits.hpp"
#include "server/http/api/handler.hpp"
#include "server/http/site/static_files.hpp"
#include "server/http/wire/listener.hpp"
#include "server/http/wire/traffic.hpp"
#include "server/identity/store.hpp"
#include "server/jobs/kind.hpp"
#include "server/planning/planner.hpp"
#include "server/queue/baseline_store.hpp"
#include "server/queue/dataset_store.hpp"
#include "server/queue/share_store.hpp"
#include "server/queue/store.hpp"
#include "server/queue/team_record_store.hpp"
#include "server/schedules/store.hpp"
#include "server/webhooks/store.hpp"
#include "server/webhooks/target.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

// The whole HTTP side of `plimsoll serve`, put together: contract, handlers, pages, listener.
namespace plimsoll::http {

// What is referred to must outlive the server.
struct Backends {
    queue::JobStore& jobs;
    queue::DatasetStore& datasets;
    queue::JobSignals& signals;
    queue::ShareStore& shares;
    identity::IdentityStore& identity;
    webhooks::WebhookStore& webhooks;
    const webhooks::AllowList& webhook_targets;
    const Clock& clock;
    std::span<const jobs::Contract> kinds;
    // For bodies and chunks that would hold up the I/O thread; bounded by
    // limits::kBodyBytesInFlight.
    boost::asio::thread_pool& pool;
    queue::TeamRecordStore& records;
    planning::Planner& planner;
    schedules::ScheduleStore& schedules;
    queue::BaselineStore& baselines;
    std::function<void(Handlers&)> kind_operations;  // adds those of the kinds' own
    CallerQuotas quotas = {};
};

class HttpServer {
  public:
    // `version` is the program's, "0.1.0"; without `pages` it serves the API alone. Throws
    // std::runtime_error when openapi.yaml, the handlers and the job kinds do not agree.
    HttpServer(boost::asio::io_context& io, Backends backends, const std::string& version,
               std::optional<StaticFiles> pages);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // The port. Errors name the address, the certificate or the key.
    Result<unsigned short> start(const ListenOptions& options);

    Traffic& traffic();

    // See Listener.
    Result<void> reload_tls();

    // Says that it is not ready any more (readiness is answered with 503) and goes on serving.
    void announce_drain();
    // Not ready any more: new connections are refused, idle ones closed, answers under way
    // finished, and who waits for a job is sent home.
    void drain();
    // True when everybody has left, false when time is over first.
    boost::asio::awaitable<bool> drained(std::chrono::milliseconds time);
    // Cuts off whoever is left.
    void close();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::http
