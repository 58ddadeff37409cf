#pragma once

#include "server/postgres/duty_store.hpp"
#include "server/postgres/identity_store.hpp"
#include "server/postgres/job_signals.hpp"
#include "server/postgres/job_store.hpp"
#include "server/postgres/worker_store.hpp"

#include <chrono>

// The stores of one process with their connections, as the programs put them together.
namespace plimsoll::conformance {

namespace asio = boost::asio;

inline constexpr std::chrono::milliseconds kPoll{2000};

class ServerStores {
  public:
    ServerStores(asio::any_io_executor executor, const postgres::Target& target,
                 std::chrono::milliseconds poll = kPoll);
    ~ServerStores();

    queue::JobStore& jobs() { return jobs_; }
    queue::JobSignals& signals() { return signals_; }
    queue::DutyStore& duties() { return duties_; }
    identity::IdentityStore& identity() { return identity_; }

  private:
    postgres::Pool calls_;
    postgres::Listener listener_;
    postgres::JobStore jobs_;
    postgres::JobSignals signals_;
    postgres::DutyStore duties_;
    postgres::IdentityStore identity_;
};

class WorkerStores {
  public:
    WorkerStores(asio::any_io_executor executor, const postgres::Target& target);
    ~WorkerStores();

    queue::WorkerStore& worker() { return worker_; }

  private:
    postgres::Pool calls_;
    postgres::Listener listener_;
    postgres::WorkerStore worker_;
};

}  // namespace plimsoll::conformance
