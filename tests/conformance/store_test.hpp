#pragma once

#include "server/identity/invitation_store.hpp"
#include "server/identity/password_store.hpp"
#include "server/identity/provider_store.hpp"
#include "server/identity/store.hpp"
#include "server/postgres/cluster/embedded_settings.hpp"
#include "server/postgres/database.hpp"
#include "server/postgres/workers/duties.hpp"
#include "server/queue/dataset.hpp"
#include "server/queue/share_store.hpp"
#include "server/queue/store.hpp"
#include "server/queue/worker_store.hpp"
#include "server/schedules/store.hpp"
#include "server/teams/team_record_store.hpp"
#include "server/webhooks/store.hpp"
#include "tests/conformance/cluster/cluster.hpp"
#include "tests/conformance/worker_process.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace plimsoll::conformance {

// No test takes as long.
inline constexpr std::chrono::hours kLong{1};

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
    // The error; none: it succeeds.
    template <class T>
    std::optional<Errc> code(asio::awaitable<Result<T>> call) {
        const auto result = run(std::move(call));
        return result ? std::optional<Errc>() : std::optional(result.error().code);
    }
    static Timestamp in(std::chrono::seconds time) { return SystemClock().now() + time; }

    template <class Condition>
    void run_until(Condition condition) {
        io_.restart();
        while (!condition() && io_.run_one()) {
        }
    }

    JobId submit(int tasks = 1) { return must(stores_.jobs.submit(job_of(tasks))).id; }
    queue::Job job(JobId id) { return must(stores_.jobs.get(people_.team, id)); }
    People others() const { return make_people(kind_ + " others"); }

    // A running device of class cpu, "cpu:0" of a node named like the kind.
    void add_device();
    // It claims the tasks of all jobs of the kind.
    void start_jobs();
    // It completes the claimed tasks, or otherwise those that can be claimed: all succeed, or all
    // fail permanently.
    void finish_jobs(bool well);
    // The attempts to give a password, and the links that set one, are as if so long had passed.
    static void age_passwords(std::chrono::seconds time);

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

  private:
    std::optional<WorkerProcess> device_;
    std::optional<WorkerProcess> host_;
    std::optional<queue::Claim> claimed_;
};

}  // namespace plimsoll::conformance
