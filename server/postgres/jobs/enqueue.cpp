#include "server/postgres/jobs/enqueue.hpp"

#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/sql.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>

namespace plimsoll::postgres {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

std::optional<std::string> seconds(const std::optional<queue::Seconds>& time) {
    return time ? std::optional(std::to_string(time->count())) : std::nullopt;
}

template <class T, class Field>
std::vector<T> column(std::span<const queue::NewJob* const> jobs, Field field) {
    std::vector<T> values;
    values.reserve(jobs.size());
    for (const queue::NewJob* job : jobs) values.push_back(field(*job));
    return values;
}

// Null for the whole column if no job has a value: most have none.
template <class T, class Field>
std::optional<std::vector<std::optional<T>>> optional_column(
    std::span<const queue::NewJob* const> jobs, Field field) {
    auto values = column<std::optional<T>>(jobs, field);
    const bool any =
        std::any_of(values.begin(), values.end(), [](const auto& v) { return v.has_value(); });
    return any ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace

Traces traces_of(std::span<const queue::NewJob* const> jobs) {
    if (std::ranges::none_of(jobs, [](const auto* job) { return bool(job->trace); })) return {};
    const auto now = SystemClock().now();
    return column<std::optional<Bytes>>(
        jobs, [now](const queue::NewJob& job) -> std::optional<Bytes> {
            if (!job.trace) return std::nullopt;
            return Bytes{tracing::pack({job.trace, std::max(now, job.run_at.value_or(now))})};
        });
}

int memory_bucket(std::int64_t mebibytes) {
    if (mebibytes <= 1) return 0;
    return std::bit_width(static_cast<std::uint64_t>(mebibytes - 1));
}

Batch enqueue(std::span<const queue::NewJob* const> jobs, bool whole) {
    using queue::NewJob;
    using OptionalText = std::optional<std::string>;
    using OptionalBytes = std::optional<Bytes>;
    std::set<std::int64_t> teams;
    for (const NewJob* job : jobs) teams.insert(job->team.value);
    Numbers task_jobs;
    Numbers task_items;
    std::vector<double> task_seconds;
    std::vector<Bytes> task_inputs;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        for (const jobs::TaskSpec& task : jobs[i]->plan.tasks) {
            task_jobs.push_back(static_cast<std::int64_t>(i) + 1);
            task_items.push_back(task.items);
            task_seconds.push_back(task.estimated_seconds);
            task_inputs.push_back({task.input});
        }
    }
    Batch batch;
    batch.push_back(in_teams(teams, traces_of(jobs)));
    batch.push_back(Statement::of(
        sql::jobs_enqueue, column<std::int64_t>(jobs, [](const NewJob& j) { return j.team.value; }),
        column<std::int64_t>(jobs, [](const NewJob& j) { return j.submitter.value; }),
        column<std::string>(jobs, [](const NewJob& j) { return j.kind; }),
        column<std::int64_t>(jobs, [](const NewJob& j) { return j.kind_version; }),
        column<std::string>(jobs, [](const NewJob& j) { return j.plan.args; }),
        optional_column<std::string>(jobs, [](const NewJob& j) { return unless_empty(j.name); }),
        column<std::string>(jobs, [](const NewJob& j) { return to_json(j.labels); }),
        column<std::int64_t>(jobs, [](const NewJob& j) { return j.priority; }),
        column<std::string>(jobs, [](const NewJob& j) { return j.plan.requirement.device_class; }),
        column<std::string>(jobs, [](const NewJob& j) { return j.plan.requirement.capability; }),
        column<std::int64_t>(
            jobs,
            [](const NewJob& j) { return memory_bucket(j.plan.requirement.memory_bucket_mib); }),
        column<std::string>(jobs, [](const NewJob& j) { return j.plan.requirement.model; }),
        // A job's only task makes the report itself.
        column<std::string>(jobs,
                            [](const NewJob& j) { return j.plan.tasks.size() > 1 ? "t" : "f"; }),
        optional_column<Timestamp>(jobs, [](const NewJob& j) { return j.run_at; }),
        optional_column<std::string>(jobs,
                                     [](const NewJob& j) {
                                         return j.idempotency ? OptionalText(j.idempotency->key)
                                                              : std::nullopt;
                                     }),
        optional_column<Bytes>(jobs,
                               [](const NewJob& j) {
                                   return j.idempotency
                                              ? OptionalBytes(Bytes{j.idempotency->fingerprint})
                                              : std::nullopt;
                               }),
        optional_column<Timestamp>(jobs, [](const NewJob& j) { return j.deadline; }),
        optional_column<std::string>(jobs, [](const NewJob& j) { return seconds(j.timeout); }),
        optional_column<std::string>(jobs,
                                     [](const NewJob& j) { return unless_empty(j.unique_key); }),
        whole, task_jobs, task_items, task_seconds, task_inputs));
    if (!std::ranges::all_of(jobs, &NewJob::at_once)) batch.push_back(on_disk());
    return batch;
}

}  // namespace plimsoll::postgres
