#include "server/postgres/workers/worker_store.hpp"

#include "server/postgres/pool/contents.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/workers/duties.hpp"
#include "server/postgres/workers/worker_rows.hpp"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::postgres {

using queue::WorkerHandle;

namespace {

std::optional<int> bucket_of(std::optional<std::int64_t> free_memory) {
    if (!free_memory) return std::nullopt;
    return offered_bucket(*free_memory);
}

}  // namespace

void HeldLeases::add(const queue::Claim& claim) {
    for (const queue::ClaimedTask& task : claim.tasks)
        open_[claim.fence].insert({task.job, task.seq});
}

void HeldLeases::settled(std::int64_t fence, const std::vector<queue::TaskName>& tasks) {
    const auto lease = open_.find(fence);
    if (lease == open_.end()) return;
    for (const queue::TaskName& task : tasks) lease->second.erase(task);
    if (lease->second.empty()) open_.erase(lease);
}

std::vector<std::int64_t> HeldLeases::fences() const {
    std::vector<std::int64_t> fences;
    for (const auto& [fence, tasks] : open_) fences.push_back(fence);
    return fences;
}

WorkerStore::WorkerStore(const asio::any_io_executor& executor, Pool& pool, Listener& listener,
                         outbound::ObjectStore* objects)
    : pool_(pool), objects_(objects), waiting_(executor) {
    listener.subscribe({"plimsoll_ready",
                        [this](std::string_view device_class) {
                            if (device_class == device_class_) woken();
                        },
                        [this] { woken(); }});
    listener.subscribe({"plimsoll_worker",
                        [this](std::string_view id) {
                            if (id != std::to_string(worker_id_)) return;
                            called_ = true;
                            woken();
                        },
                        [] {}});
}

awaitable<Result<WorkerHandle>> WorkerStore::register_worker(queue::WorkerInfo info) {
    device_class_ = info.device_class;
    CO_TRY(const auto schema,
           co_await pool_.run(Statement{sql::duties_schema_version, {}}, kCallTimeout));
    CO_TRY_DO(known_schema(schema));
    CO_TRY(auto rows, co_await pool_.run(registration(info), kCallTimeout));
    if (rows.empty()) {
        co_return fail(
            Errc::conflict,
            "A worker on another machine is registered with this node and device: set a different "
            "PLIMSOLL_NODE on machines that share a host name.");
    }
    held_.drop_all();
    resident_.clear();
    worker_id_ = rows[0].get<std::int64_t>("worker_id");
    co_return WorkerHandle{worker_id_, rows[0].get<std::int64_t>("epoch")};
}

awaitable<Result<void>> WorkerStore::report_unusable(queue::WorkerInfo info) {
    CO_TRY_DO(co_await pool_.run(device_report(info), kCallTimeout));
    co_return Result<void>{};
}

awaitable<Result<queue::HeartbeatReply>> WorkerStore::heartbeat(
    WorkerHandle worker, std::vector<std::pair<JobId, std::int64_t>> items,
    queue::WorkerTelemetry telemetry) {
    std::vector<std::int64_t> jobs, counts;
    for (const auto& [job, count] : items) {
        jobs.push_back(job.value);
        counts.push_back(count);
    }
    Batch batch;
    batch.push_back(Statement::of(sql::worker_heartbeat, worker.id, worker.epoch, held_.fences(),
                                  jobs, counts, to_json(telemetry)));
    batch.push_back({sql::duties_schema_version, {}});
    CO_TRY(auto replies, co_await pool_.run(std::move(batch), kCallTimeout));
    CO_TRY_DO(known_schema(replies.back()));
    const Row row = replies.front()[0];
    queue::HeartbeatReply reply;
    reply.expired = !row.get<bool>("alive");
    for (const std::int64_t job : row.get<std::vector<std::int64_t>>("cancelled_jobs"))
        reply.cancelled.push_back(JobId{job});
    // Leases that ended while their completion was in transit.
    for (const std::int64_t fence : row.get<std::vector<std::int64_t>>("stale_fences"))
        held_.drop(fence);
    reply.cleanup = row.get<std::optional<std::int64_t>>("cleanup").value_or(0);
    if (reply.expired) held_.drop_all();
    co_return reply;
}

awaitable<Result<void>> WorkerStore::report_cleanup(WorkerHandle worker, std::int64_t cleanup,
                                                    queue::Freed freed) {
    CO_TRY_DO(co_await pool_.run(
        Statement::of(sql::worker_report_cleanup, worker.id, worker.epoch, cleanup, to_json(freed)),
        kCallTimeout));
    resident_.clear();
    co_return Result<void>{};
}

awaitable<Result<queue::Claim>> WorkerStore::claim(WorkerHandle worker, double seconds,
                                                   int max_tasks,
                                                   std::optional<std::int64_t> free_memory) {
    return leased(worker, Statement::of(sql::worker_claim, worker.id, worker.epoch, seconds,
                                        max_tasks, bucket_of(free_memory), resident_));
}

awaitable<Result<queue::Claim>> WorkerStore::claim_elsewhere(
    WorkerHandle worker, double seconds, int max_tasks, std::optional<std::int64_t> free_memory) {
    return leased(worker, Statement::of(sql::worker_claim_elsewhere, worker.id, worker.epoch,
                                        seconds, max_tasks, bucket_of(free_memory)));
}

awaitable<Result<queue::Claim>> WorkerStore::leased(WorkerHandle worker, Statement claiming) {
    CO_TRY(auto rows, co_await pool_.run(std::move(claiming), kCallTimeout));
    if (rows.empty()) co_return queue::Claim{};
    if (!rows[0].get<std::optional<JobId>>("job_id")) {
        // It may be much: nobody waits for the class while it is read.
        CO_TRY(rows, co_await pool_.run(Statement::of(sql::worker_read_lease, worker.id,
                                                      worker.epoch, held_.fences()),
                                        kCallTimeout));
    }
    auto claim = to_claim(rows);
    if (runs_on_chunks(claim)) {
        // The claim stays valid in the database even if this fails: heartbeats will not name its
        // lease, so it expires.
        CO_TRY(auto chunks, co_await pool_.run(Statement::of(sql::worker_chunks, worker.id,
                                                             worker.epoch, claim.fence),
                                               kCallTimeout));
        take_chunks(claim, chunks);
        if (auto fetched = co_await fetch_chunks(claim); !fetched) {
            // At no cost of an attempt; if this fails too, the lease expires.
            std::vector<queue::TaskName> names;
            for (const auto& task : claim.tasks) names.push_back({task.job, task.seq});
            co_await release(worker, claim.fence, std::move(names));
            co_return fail(std::move(fetched.error()));
        }
    }
    for (const auto& task : claim.tasks)
        if (!task.model.empty()) resident_ = {task.model};
    held_.add(claim);
    co_return claim;
}

// Those that are in the object store. A missing one stays as it is, like one that is damaged: its
// tasks fail where kinds read inputs.
awaitable<Result<void>> WorkerStore::fetch_chunks(queue::Claim& claim) {
    std::map<const std::string*, std::shared_ptr<const std::string>> fetched;
    for (auto& task : claim.tasks) {
        if (task.chunk == nullptr || !is_elsewhere(*task.chunk)) continue;
        auto& content = fetched[task.chunk.get()];
        if (content == nullptr) {
            auto got = co_await fetch(objects_, std::string(kAnyDataset), *task.chunk);
            if (!got && got.error().code != Errc::corrupt) co_return fail(std::move(got.error()));
            content = got ? std::make_shared<const std::string>(*std::move(got)) : task.chunk;
        }
        task.chunk = content;
    }
    co_return Result<void>{};
}

awaitable<Result<queue::Acceptance>> WorkerStore::complete(WorkerHandle worker, std::int64_t fence,
                                                           std::vector<queue::TaskReport> reports) {
    std::vector<queue::TaskName> settled;
    Batch batch;
    std::vector<queue::TaskLines> said;
    for (queue::TaskReport& report : reports) {
        settled.push_back({report.job, report.seq});
        if (!report.lines.empty()) said.push_back({report.job, report.seq, report.lines});
        if (objects_ == nullptr || report.outcome != queue::TaskReport::Outcome::done) continue;
        // A merge rewrites the rows of the task before it.
        const auto folder = result_folder(report.job, report.seq - (report.merge ? 1 : 0));
        CO_TRY(report.output.results,
               co_await keep(objects_, folder, std::move(report.output.results)));
    }
    // First, while the lease is there; most tasks say nothing.
    if (!said.empty()) batch.push_back(log_record(worker, fence, said));
    batch.push_back(completion(worker, fence, std::move(reports)));
    batch.push_back(on_disk());
    CO_TRY(auto replies, co_await pool_.run(std::move(batch), kCallTimeout));
    held_.settled(fence, settled);
    // Before the response to on_disk, which may have no row but is there.
    co_return to_acceptance(replies[replies.size() - 2]);
}

awaitable<Result<void>> WorkerStore::record_log(WorkerHandle worker, std::int64_t fence,
                                                std::vector<queue::TaskLines> tasks) {
    CO_TRY_DO(co_await pool_.run(log_record(worker, fence, tasks), kCallTimeout));
    co_return Result<void>{};
}

awaitable<Result<void>> WorkerStore::release(WorkerHandle worker, std::int64_t fence,
                                             std::vector<queue::TaskName> tasks) {
    std::vector<std::int64_t> jobs, seqs;
    for (const auto& task : tasks) {
        jobs.push_back(task.job.value);
        seqs.push_back(task.seq);
    }
    CO_TRY_DO(co_await pool_.run(
        Statement::of(sql::worker_release, worker.id, worker.epoch, fence, jobs, seqs),
        kCallTimeout));
    held_.settled(fence, tasks);
    co_return Result<void>{};
}

awaitable<Result<void>> WorkerStore::retire(WorkerHandle worker) {
    CO_TRY_DO(co_await pool_.run(Statement::of(sql::worker_retire, worker.id, worker.epoch),
                                 kCallTimeout));
    held_.drop_all();
    co_return Result<void>{};
}

awaitable<bool> WorkerStore::wake(WorkerHandle, std::chrono::steady_clock::time_point deadline) {
    if (!woken_) {
        waiting_.expires_at(deadline);
        co_await waiting_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    woken_ = false;
    co_return std::exchange(called_, false);
}

awaitable<Result<bool>> WorkerStore::is_idle(std::string node) {
    CO_TRY(auto rows, co_await pool_.run(Statement::of(sql::worker_is_idle, node), kCallTimeout));
    co_return rows[0].get<bool>("idle");
}

void WorkerStore::woken() {
    woken_ = true;
    waiting_.cancel();
}

}  // namespace plimsoll::postgres
