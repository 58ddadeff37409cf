#include "server/postgres/worker_rows.hpp"

#include "server/postgres/enqueue.hpp"
#include "server/postgres/job_rows.hpp"
#include "server/postgres/sql.hpp"

#include <algorithm>
#include <bit>

#include <nlohmann/json.hpp>

namespace plimsoll::postgres {
namespace {

using nlohmann::json;

const char* stored_outcome(queue::TaskReport::Outcome outcome) {
    switch (outcome) {
        case queue::TaskReport::Outcome::done:
            return "done";
        case queue::TaskReport::Outcome::retry:
            return "retry";
        case queue::TaskReport::Outcome::failed:
            return "final";
    }
    return "final";
}

std::string shown_info(const queue::WorkerInfo& info) {
    const json capability = json::parse(info.capability, nullptr, false);
    const json shown = {{"name", info.name},
                        {"home", info.home},
                        {"memory_bytes", info.memory_bytes},
                        {"capability", capability.is_object() ? capability : json::object()}};
    return shown.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

int offered_bucket(std::int64_t memory_bytes) {
    const auto mebibytes = static_cast<std::uint64_t>(memory_bytes) >> 20;
    return mebibytes == 0 ? 0 : std::bit_width(mebibytes) - 1;
}

Statement enlistment(const queue::WorkerInfo& info) {
    const json capability = json::parse(info.capability, nullptr, false);
    // What the probe found out about the device, by name; the rest is for people.
    std::vector<std::string> capabilities;
    if (capability.is_object() && capability.contains("capabilities")) {
        capabilities = capability["capabilities"].get<std::vector<std::string>>();
    }
    const double speed = capability.is_object() ? capability.value("speed", 1.0) : 1.0;
    return Statement::of(sql::worker_register, info.node, info.device, info.device_class,
                         info.kinds, capabilities, offered_bucket(info.memory_bytes), speed,
                         shown_info(info));
}

Statement device_report(const queue::WorkerInfo& info) {
    return Statement::of(sql::worker_report_device, info.node, info.device, info.device_class,
                         shown_info(info));
}

std::string to_json(const queue::WorkerTelemetry& telemetry) {
    return json{{"device", telemetry.device.empty() ? json() : json::parse(telemetry.device)},
                {"free_memory", telemetry.free_memory ? json(*telemetry.free_memory) : json()},
                {"claims", telemetry.claims},
                {"tasks_done", telemetry.tasks_done},
                {"tasks_failed", telemetry.tasks_failed},
                {"tasks_retried", telemetry.tasks_retried},
                {"tasks_released", telemetry.tasks_released},
                {"tasks_dropped", telemetry.tasks_dropped}}
        .dump();
}

queue::Claim to_claim(const Rows& rows) {
    queue::Claim claim;
    for (const Row row : rows) {
        claim.fence = row.get<std::int64_t>("fence");
        queue::ClaimedTask task;
        task.job = JobId{row.get<std::int64_t>("job_id")};
        task.seq = row.get<int>("task");
        task.kind = row.get<std::string>("kind");
        task.kind_version = row.get<int>("kind_version");
        task.args = row.get<std::string>("args");
        task.input = row.get<std::optional<std::string>>("input").value_or("");
        task.items = row.get<std::optional<std::int64_t>>("items").value_or(0);
        task.attempt = row.get<int>("attempt");
        task.merge = row.get<bool>("is_merge");
        task.estimated_seconds = row.get<double>("est_seconds");
        task.model = row.get<std::string>("model");
        if (task.merge) {
            for (auto& partial : row.get<std::vector<std::optional<std::string>>>("partials")) {
                task.partials.push_back(std::move(partial).value_or(""));
            }
        }
        claim.tasks.push_back(std::move(task));
    }
    return claim;
}

bool runs_on_chunks(const queue::Claim& claim) {
    return std::ranges::any_of(claim.tasks, [](const queue::ClaimedTask& task) {
        return !task.merge && task.input.empty();
    });
}

void take_chunks(queue::Claim& claim, const Rows& rows) {
    for (const Row row : rows) {
        const JobId job{row.get<std::int64_t>("job_id")};
        const int seq = row.get<int>("task");
        const auto task = std::ranges::find_if(
            claim.tasks, [&](const auto& one) { return one.job == job && one.seq == seq; });
        if (task != claim.tasks.end()) task->input = row.get<std::string>("input");
    }
}

Statement completion(queue::WorkerHandle worker, std::int64_t fence,
                     std::vector<queue::TaskReport> reports) {
    using Outcome = queue::TaskReport::Outcome;
    std::vector<std::int64_t> jobs, tasks, ok, failed;
    std::vector<std::string> outcomes;
    std::vector<std::optional<Bytes>> contents, partials;
    std::vector<std::optional<std::string>> errors;
    std::vector<double> seconds, delays;
    for (queue::TaskReport& report : reports) {
        const bool done = report.outcome == Outcome::done;
        jobs.push_back(report.job.value);
        tasks.push_back(report.seq);
        outcomes.emplace_back(stored_outcome(report.outcome));
        std::string& partial = report.merge ? report.report : report.output.partial;
        // A merge seldom has rows.
        const bool rows = done && !(report.merge && report.output.results.empty());
        contents.push_back(rows ? std::optional(Bytes{std::move(report.output.results)})
                                : std::nullopt);
        partials.push_back(done ? std::optional(Bytes{std::move(partial)}) : std::nullopt);
        errors.push_back(done ? std::nullopt : std::optional(error_to_json(report.error)));
        ok.push_back(report.output.items_ok);
        failed.push_back(report.output.items_failed);
        seconds.push_back(report.device_seconds);
        delays.push_back(report.pause.count());
    }
    return Statement::of(sql::worker_complete, worker.id, worker.epoch, fence, jobs, tasks,
                         outcomes, contents, partials, ok, failed, seconds, errors, delays);
}

queue::Acceptance to_acceptance(const Rows& rows) {
    bool replayed = false;
    for (const Row row : rows) {
        const auto verdict = row.get<std::string_view>("verdict");
        if (verdict == "accepted" || verdict == "cancelled") return queue::Acceptance::accepted;
        replayed = replayed || verdict == "replayed";
    }
    return replayed ? queue::Acceptance::replayed : queue::Acceptance::stale;
}

}  // namespace plimsoll::postgres
