#include "server/postgres/teams/schedule_rows.hpp"

#include "server/postgres/driver/optional.hpp"
#include "server/postgres/jobs/enqueue.hpp"
#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/sql.hpp"

#include <array>

namespace plimsoll::postgres {
namespace {

using schedules::Answer;

constexpr std::array<std::string_view, 3> kWays = {"time", "waiting", "person"};
constexpr std::array<std::string_view, 4> kVerdicts = {"submit", "busy", "failed", "missed"};

schedules::Settings settings_of(const Row& row) {
    schedules::Settings settings;
    settings.spec = row.get<std::string>("spec");
    settings.cron = row.get<std::string>("cron");
    settings.time_zone = row.get<std::string>("time_zone");
    settings.misfire = schedules::parse_misfire(row.get<std::string_view>("misfire"));
    settings.misfire_limit = row.get<int>("misfire_limit");
    settings.overlap = schedules::parse_overlap(row.get<std::string_view>("overlap"));
    return settings;
}

}  // namespace

schedules::Schedule to_schedule(const Row& row) {
    schedules::Schedule schedule;
    schedule.id = row.get<schedules::ScheduleId>("id");
    schedule.settings = settings_of(row);
    schedule.settings.name = row.get<std::string>("name");
    schedule.user = row.get<UserId>("user_id");
    schedule.user_name = row.get<Maybe<std::string>>("user_name").value_or("");
    schedule.paused_at = row.get<Maybe<Timestamp>>("paused_at");
    schedule.next_at = row.get<Maybe<Timestamp>>("next_at");
    schedule.version = row.get<int>("version");
    schedule.created_at = row.get<Timestamp>("created_at");
    schedule.updated_at = row.get<Timestamp>("updated_at");
    return schedule;
}

schedules::Run to_run(const Row& row) {
    schedules::Run run;
    run.due_at = row.get<Timestamp>("due_at");
    run.by_user = row.get<Maybe<UserId>>("by_user");
    run.by_user_name = row.get<Maybe<std::string>>("by_user_name").value_or("");
    run.outcome = row.get<std::string>("outcome");
    run.job = row.get<Maybe<JobId>>("job_id");
    run.job_state = row.get<Maybe<std::string>>("job_state").value_or("");
    run.reason = row.get<Maybe<std::string>>("reason").value_or("");
    run.missed = row.get<int>("missed");
    run.decided_at = row.get<Timestamp>("decided_at");
    return run;
}

schedules::Claimed to_claimed(const Row& row) {
    return {row.get<schedules::ScheduleId>("id"),
            row.get<int>("version"),
            row.get<TeamId>("team_id"),
            row.get<UserId>("user_id"),
            settings_of(row),
            row.get<Maybe<Timestamp>>("due_at"),
            row.get<Maybe<Timestamp>>("waiting_at"),
            row.get<bool>("busy"),
            row.get<Timestamp>("now")};
}

schedules::Answered to_answered(const Row& row) {
    schedules::Answered answered;
    answered.outcome = row.get<std::string>("outcome");
    answered.job = row.get<Maybe<JobId>>("job_id");
    answered.due_at = row.get<Timestamp>("due_at");
    return answered;
}

Statement answering(const Answer& answer) {
    static const schedules::Submission none;
    const auto& [job, dataset] = answer.submission ? *answer.submission : none;
    std::vector<std::int64_t> items;
    std::vector<double> seconds;
    std::vector<Bytes> inputs;
    for (const auto& task : job.plan.tasks) {
        items.push_back(task.items);
        seconds.push_back(task.estimated_seconds);
        inputs.push_back({task.input});
    }
    Maybe<DatasetId> dataset_id;
    if (dataset) dataset_id = dataset->id;
    Maybe<std::string> key;
    Maybe<Bytes> fingerprint;
    if (job.idempotency) {
        key = job.idempotency->key;
        fingerprint = Bytes{job.idempotency->fingerprint};
    }
    Maybe<double> timeout;
    if (job.timeout) timeout = job.timeout->count();
    const auto& requirement = job.plan.requirement;
    return Statement::of(
        sql::schedules_run, answer.schedule, answer.version,
        kWays.at(static_cast<std::size_t>(answer.way)), answer.expected, answer.due_at, answer.then,
        answer.missed, kVerdicts.at(static_cast<std::size_t>(answer.verdict)),
        unless_empty(answer.reason), answer.user, key, fingerprint, job.kind, job.kind_version,
        unless_empty(job.plan.args), unless_empty(job.name), to_json(job.labels), job.priority,
        requirement.device_class, requirement.capability,
        memory_bucket(requirement.memory_bucket_mib), requirement.model, timeout,
        unless_empty(job.unique_key), items, seconds, inputs, dataset_id,
        dataset ? dataset->seconds_per_record : 0.0, dataset ? dataset->seconds_per_byte : 0.0);
}

}  // namespace plimsoll::postgres
