#pragma once

#include "server/postgres/pool/lookups.hpp"
#include "server/queue/job.hpp"

namespace plimsoll::postgres {

struct JobOfTeam {
    TeamId team;
    JobId job;
    auto operator<=>(const JobOfTeam&) const = default;
};

// Batched job look-ups: polling a thousand jobs takes a few queries. Errc::not_found: also another
// team's job. The pool's role is plimsoll_app.
class JobLookups final : public Lookups<JobOfTeam, queue::Job> {
  public:
    using Lookups::Lookups;

  private:
    Batch question(const std::set<JobOfTeam>& jobs) const override;
    std::map<JobOfTeam, queue::Job> read(const Replies& replies) const override;
    Error missing() const override;
};

}  // namespace plimsoll::postgres
