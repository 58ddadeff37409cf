#pragma once

#include "server/base/time.hpp"
#include "server/http/api/services.hpp"
#include "server/http/messages/problem.hpp"
#include "server/jobs/kind.hpp"
#include "server/queue/store.hpp"

#include <chrono>
#include <map>
#include <utility>
#include <vector>

namespace plimsoll::http::endpoints {

// The end of a job that one call submitted and waited for.
struct AtOnce {
    JobId id;
    std::string
        rows;  // JSON lines, one for every item, in order; those of unfinished tasks say why
};

// Runs small jobs through the queue within one call: submits, waits for the end, reads the rows.
// Its arguments must outlive it.
class RunAtOnce {
  public:
    RunAtOnce(queue::JobStore& store, queue::JobSignals& signals, Draining& draining,
              const Clock& clock)
        : store_(store), signals_(signals), draining_(draining), clock_(clock) {}

    // 429: the team is over its quota. When the server stops, the wait ends. A job that is not to
    // be kept reaches the disk only with its end; forget it.
    awaitable<AtOnce> run(queue::NewJob job, const jobs::Contract& kind,
                          std::chrono::milliseconds max, bool keep) const;

    // Deletes the job with its texts and rows, in the background, together with those of the next
    // second: no call waits for it, and few run beside it. This object must stay.
    awaitable<void> forget(TeamId team, JobId id, UserId by);

  private:
    using Forgotten = std::map<std::pair<TeamId, UserId>, std::vector<JobId>>;

    awaitable<void> remove_forgotten();
    awaitable<void> remove(TeamId team, UserId by, std::vector<JobId> ids) const;
    awaitable<Result<queue::Ended>> ended(TeamId team, JobId id,
                                          std::chrono::steady_clock::time_point since,
                                          std::chrono::steady_clock::time_point end) const;
    awaitable<std::string> why_unfinished(TeamId team, JobId id, const jobs::Contract& kind,
                                          std::chrono::milliseconds max) const;
    static Result<std::string> rows(const queue::Ended& ended, const jobs::Plan& plan,
                                    const jobs::Contract& kind, std::string_view missing);

    queue::JobStore& store_;
    queue::JobSignals& signals_;
    Draining& draining_;
    const Clock& clock_;
    Forgotten forgotten_;
};

}  // namespace plimsoll::http::endpoints
