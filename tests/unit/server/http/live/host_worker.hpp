#pragma once

#include "server/queue/worker_store.hpp"
#include "tests/conformance/cluster/cluster.hpp"
#include "tests/conformance/cluster/worker_stores.hpp"

#include <optional>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>

namespace plimsoll::http::test {

// The worker of node-a/host. It computes nothing: a test says what comes of the tasks.
class HostWorker {
  public:
    explicit HostWorker(const conformance::TestDatabase& database);

    // Takes all tasks that wait.
    void start_jobs();
    // Ends the tasks that it has, or takes those that wait: each has these rows, JSON lines. Then
    // it merges their jobs into this report.
    void finish_jobs(const std::string& rows, const std::string& report);
    // The same, but no task succeeds, ever.
    void fail_jobs(const std::string& error);

  private:
    template <class T>
    T must(boost::asio::awaitable<Result<T>> call) {
        auto result = conformance::await(io_, std::move(call));
        if (!result) throw std::runtime_error(result.error().message);
        return std::move(*result);
    }
    // Whether a task waited.
    bool claim();
    void complete(const queue::TaskReport& like);
    void merge(const std::string& report);

    boost::asio::io_context io_;
    conformance::WorkerStores stores_;
    std::optional<queue::Claim> claimed_;
};

}  // namespace plimsoll::http::test
