#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {

StoreTest::StoreTest()
    : kind_(unique_test_name()),
      people_(make_people(kind_)),
      server_(io_.get_executor(), Cluster::get().as(postgres::kAppRole)) {
    server_.start();
    must(background_.duties.run("ensure_partitions"));
}

void StoreTest::finish(WorkerProcess& worker, WorkerProcess& host) {
    for (auto* process : {&worker, &host}) {
        const auto claimed = claim(*process);
        must(process->store().complete(process->handle, claimed.fence, done(claimed)));
    }
}

void StoreTest::add_device() {
    if (!device_) device_.emplace(io_, kind_, "cpu", "cpu:0");
}

void StoreTest::start_jobs() {
    add_device();
    claimed_ = claim(*device_);
}

void StoreTest::finish_jobs(bool well) {
    if (!claimed_) start_jobs();
    auto reports = done(*claimed_);
    for (auto& report : reports) {
        if (well) break;
        report.outcome = queue::TaskReport::Outcome::failed;
        report.error = "no such model";
    }
    must(device_->store().complete(device_->handle, claimed_->fence, reports));
    claimed_.reset();
    if (!host_) host_.emplace(io_, kind_, "host", "host");
    const auto merges = claim(*host_);
    if (merges.tasks.empty()) return;
    must(host_->store().complete(host_->handle, merges.fence, done(merges)));
}

void StoreTest::age_passwords(std::chrono::seconds time) {
    const auto ago = " - interval '" + std::to_string(time.count()) + " seconds'";
    Cluster::get().execute("update plimsoll.password_attempt set last_at = last_at" + ago);
    Cluster::get().execute("update plimsoll.password_link set expires_at = expires_at" + ago);
}

void StoreTest::age(const WorkerProcess& worker) {
    Cluster::get().execute(
        "update plimsoll.worker set seen_at = clock_timestamp() - interval '1 minute' where id = " +
        std::to_string(worker.handle.id));
}

}  // namespace plimsoll::conformance
