#pragma once

#include "server/postgres/driver/rows.hpp"
#include "server/postgres/driver/statement.hpp"
#include "server/queue/worker_store.hpp"

namespace plimsoll::postgres {

// A worker's memory rounded down to a power of two in MiB, as its exponent.
int offered_bucket(std::int64_t memory_bytes);

// worker.register for this worker.
Statement registration(const queue::WorkerInfo& info);
// worker.report_device for this device.
Statement device_report(const queue::WorkerInfo& info);

// The `telemetry` of worker.heartbeat: JSON with a member per counter.
std::string to_json(const queue::WorkerTelemetry& telemetry);

// The answer to a cleanup request: JSON, in bytes.
std::string to_json(const queue::Freed& freed);

// From the rows of worker.read_lease.
queue::Claim to_claim(const Rows& rows);

// Whether the claim has tasks whose inputs are dataset chunks, which are fetched separately.
bool runs_on_chunks(const queue::Claim& claim);
void take_chunks(queue::Claim& claim, const Rows& rows);

// worker.complete.
Statement completion(queue::WorkerHandle worker, std::int64_t fence,
                     std::vector<queue::TaskReport> reports);

// From the answer of worker.complete.
Statement log_record(queue::WorkerHandle worker, std::int64_t fence,
                     const std::vector<queue::TaskLines>& tasks);
queue::Acceptance to_acceptance(const Rows& rows);

}  // namespace plimsoll::postgres
