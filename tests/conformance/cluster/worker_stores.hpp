#pragma once

#include "server/postgres/pool/listener.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/workers/worker_store.hpp"

// A worker process's database objects.
namespace plimsoll::conformance {

class WorkerStores {
  public:
    WorkerStores(boost::asio::any_io_executor executor, const postgres::Target& target,
                 std::chrono::milliseconds poll = std::chrono::seconds(2))
        : calls_(executor, target, {.connections = 1}),
          listener_(executor, target, poll),
          worker_(executor, calls_, listener_) {
        calls_.start();
        listener_.start();
    }
    ~WorkerStores() {
        listener_.stop();
        calls_.stop();
    }

    queue::WorkerStore& worker() { return worker_; }

  private:
    postgres::Pool calls_;
    postgres::Listener listener_;
    postgres::WorkerStore worker_;
};

}  // namespace plimsoll::conformance
