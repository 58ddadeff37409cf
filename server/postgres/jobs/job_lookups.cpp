#include "server/postgres/jobs/job_lookups.hpp"

#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

Batch JobLookups::question(const std::set<JobOfTeam>& jobs) const {
    std::map<TeamId, std::vector<std::int64_t>> of_teams;
    for (const auto& [team, job] : jobs) of_teams[team].push_back(job.value);
    Batch batch;
    for (const auto& [team, ids] : of_teams) {
        batch.push_back(in_team(team));
        batch.push_back(Statement::of(sql::jobs_get, ids));
    }
    return batch;
}

std::map<JobOfTeam, queue::Job> JobLookups::read(const Replies& replies) const {
    std::map<JobOfTeam, queue::Job> found;
    for (std::size_t i = 1; i < replies.size(); i += 2) {
        for (const Row row : replies[i]) {
            auto job = to_job(row);
            const JobOfTeam key{job.team, job.id};
            found.emplace(key, std::move(job));
        }
    }
    return found;
}

Error JobLookups::missing() const {
    return no_such_job();
}

}  // namespace plimsoll::postgres
