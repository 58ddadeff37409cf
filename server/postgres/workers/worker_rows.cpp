#include "server/postgres/workers/worker_rows.hpp"

#include "engine/base/json.hpp"
#include "server/postgres/jobs/enqueue.hpp"
#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/sql.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <utility>

namespace plimsoll::postgres {
namespace {

const char* stored_outcome(queue::TaskReport::Outcome outcome) {
    switch (outcome) {
        case queue::TaskReport::Outcome::done: return "done";
        case queue::TaskReport::Outcome::retry: return "retry";
        case queue::TaskReport::Outcome::failed: return "final";
        case queue::TaskReport::Outcome::died: return "died";
    }
    return "final";
}

std::string shown_info(const queue::WorkerInfo& info) {
    json capability = json::parse(info.capability, nullptr, false);
    if (!capability.is_object()) capability = json::object();
    if (!info.advertisements.empty())
        capability["advertisements"] = json::parse(info.advertisements);
    const json shown = {{"name", info.name},
                        {"home", info.home},
                        {"memory_bytes", info.memory_bytes},
                        {"last_exit", info.last_exit},
                        {"copy_mode", info.copy_mode},
                        {"capability", std::move(capability)}};
    return shown.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

int offered_bucket(std::int64_t memory_bytes) {
    const auto mebibytes = static_cast<std::uint64_t>(memory_bytes) >> 20;
    return mebibytes == 0 ? 0 : std::bit_width(mebibytes) - 1;
}

Statement registration(const queue::WorkerInfo& info) {
    const json capability = json::parse(info.capability, nullptr, false);
    // The device's probed capabilities by name; the rest is informational.
    std::vector<std::string> capabilities;
    if (capability.is_object() && capability.contains("capabilities"))
        capabilities = capability["capabilities"].get<std::vector<std::string>>();
    capabilities.insert(capabilities.end(), info.capabilities.begin(), info.capabilities.end());
    // Jobs may require this particular device.
    capabilities.push_back("device=" + info.node + "/" + info.device);
    std::optional<std::vector<std::int64_t>> fences, jobs;
    std::optional<std::vector<std::int32_t>> seqs;
    if (info.died) {
        fences.emplace(), jobs.emplace(), seqs.emplace();
        for (const auto& task : *info.died) {
            fences->push_back(task.fence);
            jobs->push_back(task.job.value);
            seqs->push_back(task.seq);
        }
    }
    const double speed = capability.is_object() ? capability.value("speed", 1.0) : 1.0;
    return Statement::of(sql::worker_register, info.node, info.device, info.device_class,
                         info.kinds, capabilities, offered_bucket(info.memory_bytes), speed,
                         shown_info(info), info.helps, fences, jobs, seqs);
}

Statement device_report(const queue::WorkerInfo& info) {
    return Statement::of(sql::worker_report_device, info.node, info.device, info.device_class,
                         shown_info(info));
}

std::string to_json(const queue::WorkerTelemetry& telemetry) {
    return json{
        {"device", telemetry.device.empty() ? json() : json::parse(telemetry.device)},
        {"free_memory", telemetry.free_memory ? json(*telemetry.free_memory) : json()},
        {"offered_memory", telemetry.offered_memory ? json(*telemetry.offered_memory) : json()},
        {"slowness", telemetry.slowness},
        {"claims", telemetry.claims},
        {"tasks_done", telemetry.tasks_done},
        {"tasks_failed", telemetry.tasks_failed},
        {"tasks_retried", telemetry.tasks_retried},
        {"tasks_died", telemetry.tasks_died},
        {"tasks_released", telemetry.tasks_released},
        {"tasks_dropped", telemetry.tasks_dropped}}
        .dump();
}

std::string to_json(const queue::Freed& freed) {
    return json{{"kept_bytes", freed.kept_bytes},
                {"freed_bytes", freed.freed_bytes ? json(*freed.freed_bytes) : json()}}
        .dump();
}

queue::Claim to_claim(const Rows& rows) {
    queue::Claim claim;
    for (const Row row : rows) {
        claim.fence = row.get<std::int64_t>("fence");
        queue::ClaimedTask of_job;
        of_job.job = row.get<JobId>("job_id");
        of_job.kind = row.get<std::string>("kind");
        of_job.kind_version = row.get<int>("kind_version");
        of_job.args = row.get<std::string>("args");
        of_job.merge = row.get<bool>("is_merge");
        of_job.model = row.get<std::string>("model");
        of_job.priority = row.get<int>("priority");
        of_job.trace =
            tracing::unpack(row.get<std::optional<std::string_view>>("trace").value_or(""));
        if (of_job.merge)
            for (auto& partial : row.get<std::vector<std::optional<std::string>>>("partials"))
                of_job.partials.push_back(std::move(partial).value_or(""));
        const auto tasks = row.get<std::vector<int>>("tasks");
        if (row.get<bool>("is_whole")) of_job.whole = tasks.size();
        const auto places = row.get<std::vector<int>>("places");
        const auto attempts = row.get<std::vector<int>>("attempts");
        const auto seconds = row.get<std::vector<double>>("est_seconds");
        // A merge task has neither.
        const auto items = row.get<std::optional<std::vector<int>>>("items");
        auto inputs =
            row.get<std::optional<std::vector<std::optional<std::string_view>>>>("inputs");
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            const auto place = static_cast<std::size_t>(places[i]);
            claim.tasks.resize(std::max(claim.tasks.size(), place));
            auto& task = claim.tasks[place - 1] = of_job;
            task.seq = tasks[i];
            task.attempt = attempts[i];
            task.estimated_seconds = seconds[i];
            if (items) task.items = (*items)[i];
            if (inputs) task.input = (*inputs)[i].value_or("");
        }
    }
    return claim;
}

bool runs_on_chunks(const queue::Claim& claim) {
    return std::ranges::any_of(claim.tasks, [](const queue::ClaimedTask& task) {
        return !task.merge && task.input.empty();
    });
}

void take_chunks(queue::Claim& claim, const Rows& rows) {
    std::map<std::pair<std::int64_t, int>, queue::ClaimedTask*> tasks;
    for (auto& task : claim.tasks) tasks[{task.job.value, task.seq}] = &task;
    std::shared_ptr<const std::string> chunk;
    for (const Row row : rows) {
        if (auto next = row.get<std::optional<std::string>>("input"))
            chunk = std::make_shared<const std::string>(*std::move(next));
        const auto task = tasks.find({row.get<std::int64_t>("job_id"), row.get<int>("task")});
        if (task == tasks.end()) continue;
        task->second->chunk = chunk;
        task->second->slice = {row.get<int>("slice"), row.get<int>("slices")};
    }
}

Statement completion(queue::WorkerHandle worker, std::int64_t fence,
                     std::vector<queue::TaskReport> reports) {
    using Outcome = queue::TaskReport::Outcome;
    std::vector<std::int64_t> jobs, tasks, ok, failed, tokens;
    std::vector<std::string> outcomes;
    std::vector<std::optional<Bytes>> contents, partials, wholes;
    std::vector<std::optional<std::string>> errors;
    std::vector<double> seconds, delays;
    const bool all_done = std::ranges::all_of(
        reports, [](const auto& report) { return report.outcome == Outcome::done; });
    for (queue::TaskReport& report : reports) {
        const bool done = report.outcome == Outcome::done;
        jobs.push_back(report.job.value);
        tasks.push_back(report.seq);
        std::string& partial = report.merge ? report.report : report.output.partial;
        // A merge rarely has rows.
        const bool rows = done && !(report.merge && report.output.results.empty());
        contents.push_back(rows ? std::optional(Bytes{std::move(report.output.results)})
                                : std::nullopt);
        partials.push_back(done ? std::optional(Bytes{std::move(partial)}) : std::nullopt);
        wholes.push_back(done && !report.merge && !report.report.empty()
                             ? std::optional(Bytes{std::move(report.report)})
                             : std::nullopt);
        ok.push_back(report.output.items_ok);
        failed.push_back(report.output.items_failed);
        seconds.push_back(report.device_seconds);
        tokens.push_back(report.tokens);
        if (all_done) continue;
        outcomes.emplace_back(stored_outcome(report.outcome));
        errors.push_back(done ? std::nullopt : std::optional(error_to_json(report.error)));
        delays.push_back(report.pause.count());
    }
    auto statement = Statement::of(sql::worker_complete, worker.id, worker.epoch, fence, jobs,
                                   tasks, contents, partials, ok, failed, seconds);
    if (all_done) {
        for (int i = 0; i < 3; ++i) statement.params.emplace_back(std::nullopt);
    } else {
        statement.params.emplace_back(outcomes);
        statement.params.emplace_back(errors);
        statement.params.emplace_back(delays);
    }
    // Few kinds have models: otherwise nothing more is written.
    if (std::ranges::any_of(tokens, [](std::int64_t read) { return read > 0; }))
        statement.params.emplace_back(tokens);
    else
        statement.params.emplace_back(std::nullopt);
    if (std::ranges::any_of(wholes, [](const auto& whole) { return whole.has_value(); }))
        statement.params.emplace_back(wholes);
    else
        statement.params.emplace_back(std::nullopt);
    statement.names_process = true;
    return statement;
}

Statement log_record(queue::WorkerHandle worker, std::int64_t fence,
                     const std::vector<queue::TaskLines>& tasks) {
    const auto now = std::chrono::steady_clock::now();
    std::vector<std::int64_t> jobs, seqs;
    std::vector<std::string> lines;
    for (const auto& task : tasks) {
        jobs.push_back(task.job.value);
        seqs.push_back(task.seq);
        json said = json::array();
        for (const auto& line : task.lines) {
            // An age, because this machine's clock may differ from the database's.
            const std::chrono::duration<double> age = now - line.at;
            said.push_back({line.number, static_cast<int>(line.level), age.count(), line.text});
        }
        lines.push_back(said.dump(-1, ' ', false, json::error_handler_t::replace));
    }
    return Statement::of(sql::worker_record_log, worker.id, worker.epoch, fence, jobs, seqs, lines);
}

queue::Acceptance to_acceptance(const Rows& rows) {
    const auto verdict = rows[0].get<std::string_view>("verdict");
    if (verdict == "accepted") return queue::Acceptance::accepted;
    return verdict == "replayed" ? queue::Acceptance::replayed : queue::Acceptance::stale;
}

}  // namespace plimsoll::postgres
