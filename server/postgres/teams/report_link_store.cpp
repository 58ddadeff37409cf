#include "server/teams/report_link_store.hpp"

#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/pool/contents.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"

namespace plimsoll::postgres {

using teams::LinkedReport;
using teams::ReportLink;

namespace {

ReportLink to_report_link(const Row& row) {
    ReportLink link;
    link.id = {row.get<std::int64_t>("id")};
    link.job = row.get<JobId>("job_id");
    link.job_kind = row.get<Maybe<std::string>>("job_kind").value_or("");
    link.job_name = row.get<Maybe<std::string>>("job_name").value_or("");
    link.user = row.get<UserId>("user_id");
    link.user_name = row.get<Maybe<std::string>>("user_name").value_or("");
    link.note = row.get<Maybe<std::string>>("note").value_or("");
    link.created_at = row.get<Timestamp>("created_at");
    link.expires_at = row.get<Timestamp>("expires_at");
    link.opened_at = row.get<Maybe<Timestamp>>("opened_at");
    link.opens = row.get<std::int64_t>("opens");
    return link;
}

LinkedReport to_linked_report(const Row& row) {
    LinkedReport linked;
    linked.shared_by = row.get<std::string>("shared_by");
    linked.note = row.get<Maybe<std::string>>("note").value_or("");
    linked.expires_at = row.get<Timestamp>("expires_at");
    linked.maker = row.get<UserId>("user_id");
    linked.summary = row.get<std::string>("content");
    auto& job = linked.job;
    job.id = row.get<JobId>("id");
    job.team = row.get<TeamId>("team_id");
    job.kind = row.get<std::string>("kind");
    job.name = row.get<Maybe<std::string>>("name").value_or("");
    job.args = row.get<std::string>("args");
    job.items_total = row.get<std::int64_t>("items_total");
    job.items_done = row.get<std::int64_t>("items_done");
    job.items_failed = row.get<std::int64_t>("items_failed");
    job.created_at = row.get<Timestamp>("created_at");
    job.finished_at = row.get<Maybe<Timestamp>>("finished_at");
    return linked;
}

Error opens_nothing() {
    return {Errc::not_found, "This link is invalid, has expired or was revoked.", {}};
}

class ReportLinkStore final : public teams::ReportLinkStore {
  public:
    ReportLinkStore(Pool& pool, outbound::ObjectStore* objects) : pool_(pool), objects_(objects) {}

    awaitable<Result<std::vector<ReportLink>>> list(TeamId team, std::optional<JobId> job,
                                                    std::optional<teams::ReportLinkId> before,
                                                    int limit) override {
        co_return every(
            co_await run_in(pool_, in_team(team),
                            Statement::of(sql::report_links_list, team, job, before, limit)),
            to_report_link);
    }

    awaitable<Result<ReportLink>> create(Author author, teams::NewReportLink link) override {
        co_return first(
            co_await run_in(
                pool_, in_team(author.team),
                Statement::of(sql::report_links_create, author.team, author.user, link.job,
                              unless_empty(std::move(link.note)), Bytes{std::move(link.hash)},
                              link.expires_at, link.origin.token, link.origin.session,
                              teams::kReportLinksPerTeam, author.request_id)),
            to_report_link,
            team_limit_reached(teams::kReportLinksPerTeam, "report links", "Revoke"));
    }

    awaitable<Result<void>> revoke(Author author, teams::ReportLinkId id) override {
        co_return found(co_await run_in(pool_, in_team(author.team),
                                        Statement::of(sql::report_links_revoke, id, author.team,
                                                      author.user, author.request_id)),
                        {Errc::not_found, "The report link was not found.", {}});
    }

    awaitable<Result<LinkedReport>> open(std::string hash) override {
        co_return first(
            co_await pool_.run(Statement::of(sql::report_links_open, Bytes{std::move(hash)}),
                               kCallTimeout),
            to_linked_report, opens_nothing());
    }

    awaitable<Result<std::vector<queue::ChunkInfo>>> chunks(std::string hash) override {
        co_return every(
            co_await pool_.run(Statement::of(sql::report_links_chunks, Bytes{std::move(hash)}),
                               kCallTimeout),
            to_chunk_info);
    }

    awaitable<Result<std::string>> chunk(std::string hash, JobId job, int seq) override {
        auto held = first(
            co_await pool_.run(Statement::of(sql::report_links_chunk, Bytes{std::move(hash)}, seq),
                               kCallTimeout),
            to_content, opens_nothing());
        co_return co_await fetch(objects_, result_folder(job, seq), std::move(held));
    }

  private:
    Pool& pool_;
    outbound::ObjectStore* objects_;
};

}  // namespace

std::unique_ptr<teams::ReportLinkStore> make_report_link_store(Pool& pool,
                                                               outbound::ObjectStore* objects) {
    return std::make_unique<ReportLinkStore>(pool, objects);
}

}  // namespace plimsoll::postgres
