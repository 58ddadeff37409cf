#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/awaitable.hpp"
#include "server/base/id.hpp"
#include "server/base/time.hpp"
#include "server/queue/job.hpp"

#include <optional>
#include <string>
#include <vector>

// Links that show the report of one job to anyone who has them, until they expire or are revoked.
// Implemented by server/postgres. Every write adds an audit row in the same transaction.
namespace plimsoll::teams {

using ReportLinkId = Id<struct ReportLinkTag>;

inline std::string to_public(ReportLinkId id) { return public_id("link", id.value); }

// Links that still open a report.
constexpr int kReportLinksPerTeam = 1000;

struct ReportLink {
    ReportLinkId id;
    JobId job;
    std::string job_kind;  // empty: the job has been deleted
    std::string job_name;  // empty: it has none
    UserId user;           // who made it
    std::string user_name;
    std::string note;  // purpose; may be empty
    Timestamp created_at;
    Timestamp expires_at;
    std::optional<Timestamp> opened_at;  // for the last time
    std::int64_t opens = 0;
};

// The credential that creates a link: a token, or a session that a token may have opened. The link
// is revoked together with that token.
struct ReportLinkOrigin {
    std::optional<TokenId> token;
    std::optional<SessionId> session;
};

struct NewReportLink {
    JobId job;
    std::string note;
    std::string hash;  // SHA-256 of its secret
    Timestamp expires_at;
    ReportLinkOrigin origin;
};

// The content of a link. Of the job, it has the ID, kind, name, arguments, items and times.
struct LinkedReport {
    std::string shared_by;
    std::string note;
    Timestamp expires_at;
    UserId maker;
    queue::Job job;
    std::string summary;  // JSON text
};

class ReportLinkStore {
  public:
    virtual ~ReportLinkStore() = default;

    template <class T>
    using Answer = awaitable<Result<T>>;

    // Links that still open a report, newest first; of one job, or of all; older than `before`.
    virtual Answer<std::vector<ReportLink>> list(TeamId team, std::optional<JobId> job,
                                                 std::optional<ReportLinkId> before, int limit) = 0;
    // The job must belong to the author's team. Errc::conflict: the team already has
    // kReportLinksPerTeam.
    virtual Answer<ReportLink> create(Author author, NewReportLink link) = 0;
    virtual Answer<void> revoke(Author author, ReportLinkId id) = 0;

    // For anyone who has the secret with this hash. Errc::not_found: it opens no report, or no
    // longer does.
    virtual Answer<LinkedReport> open(std::string hash) = 0;
    virtual Answer<std::vector<queue::ChunkInfo>> chunks(std::string hash) = 0;
    virtual Answer<std::string> chunk(std::string hash, JobId job, int seq) = 0;
};

}  // namespace plimsoll::teams
