#pragma once

#include "server/identity/store.hpp"
#include "server/postgres/cluster/embedded_settings.hpp"
#include "server/postgres/database.hpp"
#include "server/postgres/workers/duties.hpp"
#include "server/queue/store.hpp"
#include "server/queue/worker_store.hpp"
#include "tests/conformance/cluster.hpp"
#include "tests/conformance/worker_process.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::conformance {

// A server's and a worker's stores on one loop. Each test has its own team and job kind, so that
// its workers see no other test's tasks.
class StoreTest : public testing::Test {
  protected:
    StoreTest();

    queue::NewJob job_of(int tasks, const std::string& device_class = "cpu") const {
        return make_job(people_, kind_, tasks, device_class);
    }

    template <class T>
    Result<T> run(asio::awaitable<Result<T>> call) {
        return await(io_, std::move(call));
    }
    // A precondition of the test.
    template <class T>
    T must(asio::awaitable<Result<T>> call) {
        auto result = run(std::move(call));
        if (!result) throw std::runtime_error(result.error().message);
        if constexpr (!std::is_void_v<T>) return std::move(*result);
    }

    template <class Condition>
    void run_until(Condition condition) {
        io_.restart();
        while (!condition() && io_.run_one()) {
        }
    }

    // All tasks, in one claim.
    queue::Claim claim(WorkerProcess& worker) {
        return must(worker.store().claim(worker.handle, 1000, 1000));
    }
    // Runs the job to its end: its tasks, then its merge.
    void finish(WorkerProcess& worker, WorkerProcess& host);

    // The worker fell silent more than a lease ago, by the database's clock.
    static void age(const WorkerProcess& worker);

    queue::JobState state(JobId id) { return must(stores_.jobs.get(people_.team, id)).state; }

    asio::io_context io_;
    std::string kind_;
    People people_;
    postgres::ServerDatabase server_;
    const plimsoll::Stores& stores_ = server_.stores();
    const postgres::BackgroundStores& background_ = server_.background();
};

}  // namespace plimsoll::conformance
