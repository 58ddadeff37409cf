#pragma once

#include "server/app/database.hpp"
#include "server/app/engine_process.hpp"
#include "server/app/metrics.hpp"
#include "server/app/serve.hpp"
#include "server/app/settings.hpp"
#include "server/http/access/password_service.hpp"
#include "server/http/access/provider_service.hpp"
#include "server/http/serving/http_server.hpp"
#include "server/http/serving/metrics_server.hpp"
#include "server/outbound/object_store.hpp"
#include "server/planning/planner.hpp"
#include "server/postgres/database.hpp"
#include "server/schedules/runner.hpp"
#include "server/webhooks/dispatcher.hpp"

#include <memory>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

namespace plimsoll::app {

// The composition root of `plimsoll serve`: builds every part and passes it its dependencies. One
// thread runs `io_`.
class Server {
  public:
    // Throws std::runtime_error if contract, handlers and job kinds do not match.
    Server(const Settings& settings, Database& database, identity::PasswordRules rules,
           std::optional<oidc::Registration> provider,
           std::unique_ptr<outbound::ObjectStore> objects, Announce announce);

    // Serves until SIGTERM or SIGINT, then drains. Errors are start-up errors.
    Result<void> run();

  private:
    awaitable<void> serve();
    awaitable<Result<void>> start();
    Result<void> start_metrics();
    Result<void> reload();
    Result<void> start_notices();
    awaitable<Result<void>> bootstrap();
    void end(const Error& why);
    awaitable<void> drain();
    awaitable<void> watch_cluster();
    awaitable<void> feed_watchdog();
    awaitable<void> pause(std::chrono::milliseconds time);
    void force_exit_on_second_signal();
    void reload_on_sighup();

    const Settings& settings_;
    Database& database_;
    Announce announce_;
    boost::asio::io_context io_{1};
    boost::asio::thread_pool pool_{2};       // work that would block the I/O thread
    boost::asio::thread_pool computing_{2};  // work that may take seconds
    boost::asio::thread_pool downloads_{2};  // results to send
    boost::asio::signal_set signals_;
    boost::asio::signal_set sighup_;
    boost::asio::steady_timer timer_;
    boost::asio::steady_timer watchdog_;

    std::unique_ptr<outbound::ObjectStore> objects_;  // may be null
    postgres::ServerDatabase server_database_;
    const Stores& stores_ = server_database_.stores();
    const postgres::BackgroundStores& background_ = server_database_.background();
    outbound::AllowList webhook_targets_;
    planning::Planner planner_;
    http::PasswordService password_service_;
    http::ProviderService provider_service_;
    http::Draining draining_;
    http::HttpServer http_;
    Metrics metrics_;
    http::MetricsServer metrics_server_;
    schedules::Runner schedules_;
    std::unique_ptr<webhooks::Dispatcher> notices_;
    std::unique_ptr<EngineProcess> engine_;

    std::string address_;  // "http://127.0.0.1:7272"
    bool engine_running_ = false;
    bool stopping_ = false;
    Result<void> started_;
};

}  // namespace plimsoll::app
