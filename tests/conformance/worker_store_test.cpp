#include "server/postgres/driver/connection.hpp"
#include "server/postgres/jobs/enqueue.hpp"
#include "tests/conformance/store_test.hpp"

#include <chrono>

namespace plimsoll::conformance {
namespace {

using namespace std::chrono_literals;
using queue::Acceptance;
using queue::JobState;
using Outcome = queue::TaskReport::Outcome;

class WorkerStoreTest : public StoreTest {
  protected:
    // Every worker that fell silent, as the duty does it.
    void expire_all() {
        while (must(background_.duties.run("expire_leases")) > 0) {
        }
    }
};

TEST_F(WorkerStoreTest, TasksOfAWorkerWithoutHeartbeatsExpireAndItsWritesAreStale) {
    const auto id = must(stores_.jobs.submit(job_of(2))).id;
    WorkerProcess silent(io_, kind_, "cpu", "cpu:0");
    WorkerProcess other(io_, kind_, "cpu", "cpu:1");
    const auto lost = claim(silent);
    age(silent);
    auto late = run(silent.store().complete(silent.handle, lost.fence, done(lost)));
    ASSERT_TRUE(late);
    EXPECT_EQ(*late, Acceptance::stale);
    expire_all();

    // Nobody knows that it died: they run together, and it costs them no attempt.
    const auto claimed = claim(other);
    ASSERT_EQ(claimed.tasks.size(), 2u);
    EXPECT_GT(claimed.fence, lost.fence);
    EXPECT_EQ(claimed.tasks[0].attempt, 1);
    EXPECT_EQ(must(silent.store().complete(silent.handle, lost.fence, done(lost))),
              Acceptance::stale);
    EXPECT_EQ(must(other.store().complete(other.handle, claimed.fence, done(claimed))),
              Acceptance::accepted);
    EXPECT_EQ(must(stores_.jobs.get(people_.team, id)).items_done, 20);
    EXPECT_TRUE(must(silent.store().heartbeat(silent.handle, {}, {})).expired);
    auto refused = run(silent.store().claim(silent.handle, 1, 1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::conflict);
}

TEST_F(WorkerStoreTest, ANameBelongsToTheMachineOfTheLiveWorker) {
    queue::WorkerInfo here;
    here.node = kind_;
    here.home = "here";
    here.device = "host";
    here.device_class = "host";
    auto there = here;
    there.home = "there";
    WorkerStores stores(io_.get_executor(), Cluster::get().as(postgres::kWorkerRole));
    auto& store = stores.worker();
    const auto first = must(store.register_worker(here));
    EXPECT_EQ(run(store.register_worker(there)).error().code, Errc::conflict);
    EXPECT_FALSE(must(store.heartbeat(first, {}, {})).expired) << "the first goes on";

    const auto restarted = must(store.register_worker(here));
    EXPECT_EQ(restarted.id, first.id);
    EXPECT_GT(restarted.epoch, first.epoch);

    must(store.retire(restarted));
    const auto other = must(store.register_worker(there));
    EXPECT_EQ(other.id, first.id);
    EXPECT_EQ(run(store.register_worker(here)).error().code, Errc::conflict);
    Cluster::get().execute(
        "update plimsoll.worker set seen_at = seen_at - interval '16 seconds' where id = " +
        std::to_string(other.id));
    EXPECT_TRUE(run(store.register_worker(here))) << "the other fell silent";
}

TEST_F(WorkerStoreTest, ADeviceThatCannotBeUsedIsListedWithTheReason) {
    queue::WorkerInfo device;
    device.node = kind_;
    device.device = "opencl:fake:0";
    device.device_class = "gpu";
    device.name = "Fake card";
    device.capability = R"({"state":"crashed","reason":"killed by SIGSEGV"})";
    const auto listed = [&] {
        for (auto& one : must(stores_.jobs.devices()))
            if (one.node == kind_ && one.device == device.device) return one;
        return queue::DeviceStatus{};
    };
    WorkerStores stores(io_.get_executor(), Cluster::get().as(postgres::kWorkerRole));
    auto& store = stores.worker();
    must(store.report_unusable(device));
    EXPECT_EQ(listed().state, "failed");
    EXPECT_EQ(listed().name, "Fake card");
    EXPECT_EQ(listed().reason, "Its driver crashed during the probe: killed by SIGSEGV.");
    expire_all();
    EXPECT_EQ(listed().state, "failed");

    must(store.register_worker(device));
    EXPECT_EQ(listed().state, "ready");
    must(store.report_unusable(device));
    EXPECT_EQ(listed().state, "ready") << "a worker runs on it";
}

TEST_F(WorkerStoreTest, AHeartbeatKeepsLeasesAlive) {
    must(stores_.jobs.submit(job_of(1)));
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    const auto claimed = claim(worker);
    // Five minutes from its end, so that a slow machine meets it alive.
    Cluster::get().execute(
        "update plimsoll.worker set seen_at = clock_timestamp() - plimsoll.lease_ttl() + interval "
        "'5 minutes' where id = " +
        std::to_string(worker.handle.id));
    EXPECT_FALSE(must(worker.store().heartbeat(worker.handle, {}, {})).expired);
    expire_all();
    EXPECT_EQ(must(worker.store().complete(worker.handle, claimed.fence, done(claimed))),
              Acceptance::accepted);
}

TEST_F(WorkerStoreTest, ProgressOfRunningTasksIsShown) {
    const auto id = must(stores_.jobs.submit(job_of(2))).id;
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    claim(worker);
    must(worker.store().heartbeat(worker.handle, {{id, 7}}, {}));
    EXPECT_EQ(must(stores_.jobs.get(people_.team, id)).items_done, 7);
}

TEST_F(WorkerStoreTest, TokensAreCountedWithTheTasksOfEachJob) {
    const auto first = must(stores_.jobs.submit(job_of(2))).id;
    const auto second = must(stores_.jobs.submit(job_of(1))).id;
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    const auto tokens = [&](JobId id) {
        return must(stores_.jobs.get(people_.team, id)).tokens_done;
    };
    const auto claimed = claim(worker);
    auto reports = done(claimed);
    ASSERT_EQ(reports.size(), 3u);
    for (auto& report : reports) report.tokens = report.job == first ? 21 : 7;
    const auto complete = [&] {
        return must(worker.store().complete(worker.handle, claimed.fence, reports));
    };
    EXPECT_EQ(complete(), Acceptance::accepted);
    EXPECT_EQ(tokens(first), 42);
    EXPECT_EQ(tokens(second), 7);
    EXPECT_EQ(complete(), Acceptance::replayed);
    EXPECT_EQ(tokens(first), 42) << "an answer that got lost counts once";
}

TEST_F(WorkerStoreTest, TokensOfTasksThatRunAgainAreCounted) {
    const auto id = must(stores_.jobs.submit(job_of(2))).id;
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    const auto claimed = claim(worker);
    auto reports = done(claimed);
    reports[0].tokens = 5;
    reports[0].outcome = Outcome::retry;
    reports[0].error = "The device ran out of memory.";
    EXPECT_EQ(must(worker.store().complete(worker.handle, claimed.fence, reports)),
              Acceptance::accepted);
    EXPECT_EQ(must(stores_.jobs.get(people_.team, id)).tokens_done, 5);
}

TEST_F(WorkerStoreTest, ATaskThatKillsThreeWorkersIsQuarantined) {
    const auto id = must(stores_.jobs.submit(job_of(2))).id;
    int attempt = 0;
    for (const char* device : {"cpu:0", "cpu:1", "cpu:2"}) {
        WorkerProcess worker(io_, kind_, "cpu", device);
        const auto claimed = claim(worker);
        const auto& deadly = claimed.tasks.front();
        ASSERT_EQ(deadly.attempt, ++attempt);
        if (attempt == 1) EXPECT_EQ(claimed.tasks.size(), 2u);
        auto successor = worker.info;
        successor.died = {{claimed.fence, deadly.job, deadly.seq}};
        worker.handle = must(worker.store().register_worker(successor));
        if (attempt > 1) continue;
        const auto other = claim(worker);  // what had not begun
        EXPECT_EQ(other.tasks.front().attempt, 1);
        must(worker.store().complete(worker.handle, other.fence, done(other)));
    }
    const auto job = must(stores_.jobs.get(people_.team, id));
    EXPECT_EQ(job.items_failed, 10 + 1);
    EXPECT_EQ(job.items_done, 20);
}

TEST_F(WorkerStoreTest, ATransientFailureIsRetriedLater) {
    const auto id = must(stores_.jobs.submit(job_of(1))).id;
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    for (int attempt = 1; attempt <= 3; ++attempt) {
        const auto claimed = claim(worker);
        ASSERT_EQ(claimed.tasks.size(), 1u);
        EXPECT_EQ(claimed.tasks[0].attempt, attempt);
        auto reports = done(claimed);
        reports[0].outcome = attempt < 3 ? Outcome::retry : Outcome::failed;
        reports[0].error = "out of memory: \"\xff\"";
        reports[0].pause = 10min;
        must(worker.store().complete(worker.handle, claimed.fence, reports));
        EXPECT_TRUE(claim(worker).tasks.empty());
        if (attempt == 3) break;
        const auto waiting = must(stores_.jobs.get(people_.team, id));
        EXPECT_EQ(waiting.state, JobState::running);
        EXPECT_EQ(waiting.retries, attempt);
        EXPECT_NE(waiting.last_error.find("out of memory"), std::string::npos);
        const auto due = "from plimsoll.scheduled where job_id = " + std::to_string(id.value);
        EXPECT_EQ(Cluster::get().execute(
                      "select run_at between now() + interval '9 minutes' and now() + interval '10 "
                      "minutes' " +
                      due),
                  "t");
        Cluster::get().execute("update plimsoll.scheduled set run_at = now() where job_id = " +
                               std::to_string(id.value));
        must(background_.duties.run("promote_due"));
    }
    const auto job = must(stores_.jobs.get(people_.team, id));
    EXPECT_EQ(job.state, JobState::failed);
    EXPECT_NE(job.error.find("out of memory"), std::string::npos);
    EXPECT_EQ(job.retries, 2);
}

TEST_F(WorkerStoreTest, AFinalFailureFailsItsItemsAndTheJobContinues) {
    const auto id = must(stores_.jobs.submit(job_of(2))).id;
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    WorkerProcess host(io_, kind_, "host", "host");
    const auto claimed = claim(worker);
    auto reports = done(claimed);
    reports[0].outcome = Outcome::failed;
    reports[0].error = "not a series";
    must(worker.store().complete(worker.handle, claimed.fence, reports));
    const auto merge = claim(host);
    ASSERT_EQ(merge.tasks.size(), 1u);
    EXPECT_EQ(merge.tasks[0].partials, std::vector<std::string>{"partial 1"});
    must(host.store().complete(host.handle, merge.fence, done(merge)));
    const auto job = must(stores_.jobs.get(people_.team, id));
    EXPECT_EQ(job.state, JobState::succeeded);
    EXPECT_EQ(job.items_failed, 11);
    // What failed has no results, but its input for rows that say so.
    const auto chunks = must(stores_.jobs.result_chunks(people_.team, id));
    ASSERT_EQ(chunks.size(), 2u);
    EXPECT_EQ(chunks[0].error, "not a series");
    EXPECT_EQ(chunks[1].error, "");
    EXPECT_FALSE(must(stores_.jobs.task_input(people_.team, id, 0)).packed.empty());
}

std::vector<queue::TaskName> names_of(const queue::Claim& claim) {
    std::vector<queue::TaskName> names;
    for (const auto& task : claim.tasks) names.push_back({task.job, task.seq});
    return names;
}

TEST_F(WorkerStoreTest, ALeaseIsSettledInParts) {
    must(stores_.jobs.submit(job_of(3)));
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    const auto claimed = claim(worker);
    ASSERT_EQ(claimed.tasks.size(), 3u);
    auto first = done(claimed);
    first.resize(1);
    EXPECT_EQ(must(worker.store().complete(worker.handle, claimed.fence, first)),
              Acceptance::accepted);
    must(worker.store().release(worker.handle, claimed.fence, {names_of(claimed)[1]}));
    auto last = done(claimed);
    last.erase(last.begin(), last.begin() + 2);
    EXPECT_EQ(must(worker.store().complete(worker.handle, claimed.fence, last)),
              Acceptance::accepted);
    const auto again = claim(worker);
    ASSERT_EQ(again.tasks.size(), 1u);
    EXPECT_EQ(again.tasks[0].seq, 1);
    EXPECT_EQ(again.tasks[0].attempt, 1);
}

TEST_F(WorkerStoreTest, AClaimHasThePriorityOfEachJob) {
    auto urgent = job_of(1);
    urgent.priority = 10;
    must(stores_.jobs.submit(urgent));
    must(stores_.jobs.submit(job_of(1)));
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    const auto claimed = claim(worker);
    ASSERT_EQ(claimed.tasks.size(), 2u);
    EXPECT_EQ(claimed.tasks[0].priority, 10);
    EXPECT_EQ(claimed.tasks[1].priority, 0);
}

TEST_F(WorkerStoreTest, ReleasedAndRetiredTasksCostNoAttempt) {
    must(stores_.jobs.submit(job_of(2)));
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    const auto first = claim(worker);
    must(worker.store().release(worker.handle, first.fence, names_of(first)));
    const auto second = claim(worker);
    ASSERT_EQ(second.tasks.size(), 2u);
    EXPECT_EQ(second.tasks[0].attempt, 1);
    must(worker.store().retire(worker.handle));
    WorkerProcess other(io_, kind_, "cpu", "cpu:1");
    const auto third = claim(other);
    ASSERT_EQ(third.tasks.size(), 2u);
    EXPECT_EQ(third.tasks[0].attempt, 1);
}

TEST_F(WorkerStoreTest, AClaimWhoseReplyWasLostIsReleased) {
    must(stores_.jobs.submit(job_of(2)));
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    const auto unheard = claim(worker);
    // The same worker without a memory of the claim.
    WorkerStores forgetful(io_.get_executor(), Cluster::get().as(postgres::kWorkerRole));
    must(forgetful.worker().heartbeat(worker.handle, {}, {}));
    EXPECT_TRUE(must(forgetful.worker().claim(worker.handle, 1000, 1000)).tasks.empty());
    Cluster::get().execute(
        "update plimsoll.lease set claimed_at = claimed_at - interval '1 minute' where fence = " +
        std::to_string(unheard.fence));
    must(forgetful.worker().heartbeat(worker.handle, {}, {}));
    const auto again = must(forgetful.worker().claim(worker.handle, 1000, 1000));
    ASSERT_EQ(again.tasks.size(), 2u);
    EXPECT_EQ(again.tasks[0].attempt, 1);
    EXPECT_EQ(must(worker.store().complete(worker.handle, unheard.fence, done(unheard))),
              Acceptance::stale);
}

TEST_F(WorkerStoreTest, ClaimsAreSizedInWork) {
    must(stores_.jobs.submit(job_of(20)));  // 0.1 s each
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    const auto claimed = must(worker.store().claim(worker.handle, 0.25, 64));
    EXPECT_GE(claimed.tasks.size(), 1u);
    EXPECT_LE(claimed.tasks.size(), 3u);
}

TEST_F(WorkerStoreTest, DevicesAreListedWithTheirWork) {
    must(stores_.jobs.submit(job_of(2)));
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    auto device = [&] {
        for (const auto& found : must(stores_.jobs.devices()))
            if (found.node == kind_) return found;
        throw std::runtime_error("the device is not listed");
    };
    EXPECT_EQ(device().state, "ready");
    EXPECT_EQ(device().name, "A device");
    EXPECT_EQ(device().device_class, "cpu");
    EXPECT_EQ(device().memory_bytes, std::int64_t{4} << 30);
    EXPECT_EQ(device().capability, R"({"self_test":"passed"})");
    claim(worker);
    EXPECT_EQ(device().state, "busy");
    EXPECT_EQ(device().tasks_running, 2);
    age(worker);
    EXPECT_EQ(device().state, "failed");
    must(worker.store().register_worker(
        {kind_, "", "cpu:0", "cpu", "A device", "{}", 0, {kind_ + ":1"}}));
    EXPECT_EQ(device().state, "ready");
}

// Numbers are drawn before they are visible: a claim that ran in between must not pass over the
// rows of a transaction that commits late.
TEST_F(WorkerStoreTest, AClaimHoldsOnlyTasksThatFitIntoFreeMemory) {
    WorkerProcess worker(io_, kind_, "gpu", "shared");
    auto large = job_of(1, "gpu");
    large.plan.requirement.memory_bucket_mib = 2048;
    must(stores_.jobs.submit(std::move(large)));
    const auto advertisement = [&](std::int64_t free) {
        return must(worker.store().claim(worker.handle, 1000, 1000, free)).tasks.size();
    };
    // The device has 4 GiB, but another program holds most of it.
    EXPECT_EQ(advertisement(0), 0u);
    EXPECT_EQ(advertisement((std::int64_t{2} << 30) - 1), 0u);
    must(stores_.jobs.submit(job_of(1, "gpu")));
    EXPECT_EQ(advertisement(0), 1u) << "what needs next to nothing waits for nobody";
    EXPECT_EQ(advertisement(std::int64_t{2} << 30), 1u);
}

TEST_F(WorkerStoreTest, ALateCommitIsNotSkipped) {
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    const auto soon = std::chrono::steady_clock::now() + 10min;
    auto handle = must(postgres::connect(Cluster::get().as(postgres::kAppRole), soon));
    const auto late =
        postgres::Connection::over(io_.get_executor(), std::move(handle), [](const Error&) {});
    auto say = [&](postgres::Batch batch) { must(late->run(std::move(batch), soon)); };
    const auto first = job_of(1);
    const queue::NewJob* const jobs[] = {&first};
    say({postgres::Statement::of(postgres::Query{"begin", "begin"})});
    say(postgres::enqueue(jobs));
    // Another submit and a claim come while the transaction is open.
    bool stored = false;
    std::optional<std::size_t> early;
    asio::co_spawn(io_, stores_.jobs.submit(job_of(1)),
                   [&](std::exception_ptr, Result<queue::Submitted> submitted) {
                       stored = submitted.has_value();
                   });
    asio::co_spawn(io_, worker.store().claim(worker.handle, 1000, 1000),
                   [&](std::exception_ptr, Result<queue::Claim> claimed) {
                       early = claimed ? claimed->tasks.size() : 99;
                   });
    say({postgres::Statement::of(postgres::Query{"commit", "commit"})});
    run_until([&] { return stored && early; });
    EXPECT_EQ(*early + claim(worker).tasks.size(), 2u);
}

}  // namespace
}  // namespace plimsoll::conformance
