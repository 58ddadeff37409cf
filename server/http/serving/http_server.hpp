#pragma once

#include "engine/base/result.hpp"
#include "server/base/time.hpp"
#include "server/http/access/caller_limits.hpp"
#include "server/http/access/password_desk.hpp"
#include "server/http/access/provider_desk.hpp"
#include "server/http/api/draining.hpp"
#include "server/http/api/handler.hpp"
#include "server/http/site/static_files.hpp"
#include "server/http/wire/listener.hpp"
#include "server/http/wire/traffic.hpp"
#include "server/identity/audit_store.hpp"
#include "server/identity/invitation_store.hpp"
#include "server/identity/saved_view_store.hpp"
#include "server/identity/store.hpp"
#include "server/jobs/kind.hpp"
#include "server/outbound/target.hpp"
#include "server/planning/planner.hpp"
#include "server/queue/answer_store.hpp"
#include "server/queue/baseline_store.hpp"
#include "server/queue/dataset_store.hpp"
#include "server/queue/report_link_store.hpp"
#include "server/queue/share_store.hpp"
#include "server/queue/store.hpp"
#include "server/queue/team_record_store.hpp"
#include "server/schedules/store.hpp"
#include "server/webhooks/store.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

// The HTTP side of `plimsoll serve`: contract, handlers, pages and listener.
namespace plimsoll::http {

// What the HTTP server depends on; references must outlive it.
struct Backends {
    queue::JobStore& jobs;
    queue::DatasetStore& datasets;
    queue::JobSignals& signals;
    queue::ShareStore& shares;
    identity::IdentityStore& identity;
    identity::PasswordStore& passwords;
    PasswordDesk& password_desk;
    ProviderDesk& provider_desk;
    identity::ProviderStore& providers;
    identity::InvitationStore& invitations;
    webhooks::WebhookStore& webhooks;
    const outbound::AllowList& webhook_targets;
    const Clock& clock;
    std::span<const jobs::Contract> kinds;
    // Processes large bodies and chunks off the I/O thread; its load is bounded by
    // limits::kBodies and limits::kParsedBodies.
    boost::asio::thread_pool& pool;
    // Computes estimates, pictures and answers of the kinds, which may take seconds, and makes
    // downloads: separate from `pool` and from each other, so that submits and downloads do not
    // wait behind them. Their threads give way to requests, and stay nice (GivingWay).
    boost::asio::thread_pool& computing;
    boost::asio::thread_pool& downloads;
    queue::TeamRecordStore& records;
    planning::Planner& planner;
    schedules::ScheduleStore& schedules;
    queue::BaselineStore& baselines;
    identity::SavedViewStore& saved_views;
    queue::ReportLinkStore& report_links;
    identity::AuditStore& audit;
    queue::AnswerStore& answers;
    // Adds the kinds' own operations.
    std::function<void(Handlers&, const Draining&)> kind_operations;
    CallerQuotas quotas = {};
};

class HttpServer {
  public:
    // `version`: of the program, "0.1.0"; without `pages` only the API is served. Throws
    // std::runtime_error if openapi.yaml, the handlers and the job kinds do not match.
    HttpServer(boost::asio::io_context& io, Backends backends, const std::string& version,
               std::optional<StaticFiles> pages);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // Returns the port. Errors name the address, the certificate or the key.
    Result<unsigned short> start(const ListenOptions& options);

    Traffic& traffic();

    // See Listener.
    Result<void> reload_tls();

    // Answers readiness with 503 from now on, and keeps serving.
    void announce_drain();
    // Stops accepting connections, closes idle ones, finishes running responses and answers long
    // polls immediately.
    void drain();
    // Returns true when all connections are closed, false on timeout.
    boost::asio::awaitable<bool> drained(std::chrono::milliseconds time);
    // Closes all remaining connections.
    void close();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::http
