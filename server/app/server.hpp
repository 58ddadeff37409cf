#pragma once

#include "server/app/database.hpp"
#include "server/app/engine_process.hpp"
#include "server/app/settings.hpp"
#include "server/http/serving/http_server.hpp"
#include "server/postgres/duty_store.hpp"
#include "server/postgres/identity_store.hpp"
#include "server/postgres/job_signals.hpp"
#include "server/postgres/job_store.hpp"
#include "server/postgres/listener.hpp"
#include "server/postgres/pool.hpp"
#include "server/queue/duties.hpp"

#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>

namespace plimsoll::app {

// The composition root of `plimsoll serve`: every part is built here, top-down, and handed what it
// needs. One thread runs `io`; the pool takes what would hold it up.
class Server {
  public:
    // Throws std::runtime_error when the contract and the handlers do not fit together.
    Server(const Settings& settings, Database& database);

    // Serves until SIGTERM or SIGINT and drains. Errors are those of the start.
    Result<void> run();

  private:
    boost::asio::awaitable<void> live();
    boost::asio::awaitable<Result<void>> start();
    boost::asio::awaitable<Result<void>> welcome(const std::string& address);
    boost::asio::awaitable<void> drain();
    boost::asio::awaitable<void> watch_cluster();
    void hurry_on_second_signal();

    const Settings& settings_;
    Database& database_;
    SystemClock clock_;
    boost::asio::io_context io_{1};
    boost::asio::thread_pool pool_{2};
    boost::asio::signal_set signals_;
    boost::asio::steady_timer cluster_timer_;

    postgres::Pool requests_;
    postgres::Pool background_;
    postgres::Listener notifications_;
    postgres::JobStore jobs_;
    postgres::JobSignals job_signals_;
    postgres::IdentityStore identity_;
    postgres::DutyStore duty_store_;
    queue::Duties duties_;

    std::unique_ptr<http::HttpServer> http_;
    std::unique_ptr<EngineProcess> engine_;
    bool engine_running_ = false;
    bool draining_ = false;
    bool stopping_ = false;
    Result<void> started_;
};

}  // namespace plimsoll::app
