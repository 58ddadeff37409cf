#include "tests/unit/server/http/live/host_worker.hpp"

#include "server/base/gzip.hpp"
#include "server/postgres/cluster/embedded_settings.hpp"

namespace plimsoll::http::test {
namespace {

constexpr queue::WorkerHandle kHandle{1, 1};  // as the database was made

}  // namespace

HostWorker::HostWorker(const conformance::TestDatabase& database)
    : stores_(io_.get_executor(), database.as(postgres::kWorkerRole)) {}

void HostWorker::start_jobs() {
    if (!claim()) throw std::runtime_error("no task waits");
}

bool HostWorker::claim() {
    claimed_ = must(stores_.worker().claim(kHandle, 1000, 1000));
    if (claimed_->tasks.empty()) claimed_.reset();
    return claimed_.has_value();
}

void HostWorker::complete(const queue::TaskReport& like) {
    if (!claimed_) start_jobs();
    std::vector<queue::TaskReport> reports;
    for (const auto& task : claimed_->tasks) {
        auto& report = reports.emplace_back(like);
        report.job = task.job;
        report.seq = task.seq;
        report.merge = task.merge;
        report.device_seconds = 0.1;
        if (task.merge) continue;
        report.output.items_ok = task.items;
        // The report is made with the only task, or by a merge.
        report.output.partial = task.whole == 1 ? std::exchange(report.report, "") : "";
        report.report.clear();
    }
    must(stores_.worker().complete(kHandle, claimed_->fence, reports));
    claimed_.reset();
}

void HostWorker::finish_jobs(const std::string& rows, const std::string& report) {
    queue::TaskReport done;
    done.output.results = gzip(rows);
    done.report = report;
    complete(done);
    merge(report);
}

void HostWorker::merge(const std::string& report) {
    queue::TaskReport merged;
    merged.report = report;
    if (claim()) complete(merged);
}

void HostWorker::fail_jobs(const std::string& error) {
    queue::TaskReport failed;
    failed.outcome = queue::TaskReport::Outcome::failed;
    failed.error = error;
    complete(failed);
    merge("{}");
}

}  // namespace plimsoll::http::test
