#include "server/postgres/teams/report_link_store.hpp"

#include "server/postgres/driver/optional.hpp"
#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

using boost::asio::awaitable;
using teams::LinkedReport;
using teams::ReportLink;

namespace {

ReportLink to_report_link(const Row& row) {
    ReportLink link;
    link.id = {row.get<std::int64_t>("id")};
    link.job = JobId{row.get<std::int64_t>("job_id")};
    link.job_kind = row.get<Maybe<std::string>>("job_kind").value_or("");
    link.job_name = row.get<Maybe<std::string>>("job_name").value_or("");
    link.user = UserId{row.get<std::int64_t>("user_id")};
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
    linked.maker = UserId{row.get<std::int64_t>("user_id")};
    linked.summary = row.get<std::string>("content");
    auto& job = linked.job;
    job.id = JobId{row.get<std::int64_t>("id")};
    job.team = TeamId{row.get<std::int64_t>("team_id")};
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

Error no_such_link() {
    return {Errc::not_found, "The report link was not found.", {}};
}

}  // namespace

awaitable<Result<Replies>> ReportLinkStore::run(TeamId team, Statement statement) {
    Batch batch;
    batch.push_back(in_team(team));
    batch.push_back(std::move(statement));
    co_return co_await pool_.run(std::move(batch), kCallTimeout);
}

awaitable<Result<std::vector<ReportLink>>> ReportLinkStore::list(
    TeamId team, std::optional<JobId> job, std::optional<teams::ReportLinkId> before, int limit) {
    std::optional<std::int64_t> only;
    if (job) only = job->value;
    std::optional<std::int64_t> older_than;
    if (before) older_than = before->value;
    auto replies = co_await run(
        team, Statement::of(sql::report_links_list, team.value, only, older_than, limit));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<ReportLink> links;
    for (const Row row : replies->back()) links.push_back(to_report_link(row));
    co_return links;
}

awaitable<Result<ReportLink>> ReportLinkStore::get(TeamId team, teams::ReportLinkId id) {
    auto replies = co_await run(team, Statement::of(sql::report_links_get, team.value, id.value));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(no_such_link());
    co_return to_report_link(replies->back()[0]);
}

awaitable<Result<ReportLink>> ReportLinkStore::create(Author author, teams::NewReportLink link) {
    std::optional<std::int64_t> token;
    if (link.origin.token) token = link.origin.token->value;
    std::optional<std::int64_t> session;
    if (link.origin.session) session = link.origin.session->value;
    auto replies = co_await run(
        author.team, Statement::of(sql::report_links_create, author.team.value, author.user.value,
                                   link.job.value, unless_empty(std::move(link.note)),
                                   Bytes{std::move(link.hash)}, link.expires_at, token, session,
                                   teams::kReportLinksPerTeam, author.request_id));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) {
        co_return fail(Errc::conflict, "The team has " +
                                           std::to_string(teams::kReportLinksPerTeam) +
                                           " report links, the maximum. Revoke one first.");
    }
    co_return to_report_link(replies->back()[0]);
}

awaitable<Result<void>> ReportLinkStore::revoke(Author author, teams::ReportLinkId id) {
    auto replies = co_await run(author.team,
                                Statement::of(sql::report_links_revoke, id.value, author.team.value,
                                              author.user.value, author.request_id));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(no_such_link());
    co_return Result<void>{};
}

awaitable<Result<LinkedReport>> ReportLinkStore::open(std::string hash) {
    auto rows = co_await pool_.run(Statement::of(sql::report_links_open, Bytes{std::move(hash)}),
                                   kCallTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    if (rows->empty()) co_return fail(opens_nothing());
    co_return to_linked_report((*rows)[0]);
}

awaitable<Result<std::vector<queue::ChunkInfo>>> ReportLinkStore::chunks(std::string hash) {
    auto rows = co_await pool_.run(Statement::of(sql::report_links_chunks, Bytes{std::move(hash)}),
                                   kCallTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    std::vector<queue::ChunkInfo> chunks;
    for (const Row row : *rows) chunks.push_back(to_chunk_info(row));
    co_return chunks;
}

awaitable<Result<std::string>> ReportLinkStore::chunk(std::string hash, int seq) {
    auto rows = co_await pool_.run(
        Statement::of(sql::report_links_chunk, Bytes{std::move(hash)}, seq), kCallTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    if (rows->empty()) co_return fail(opens_nothing());
    co_return (*rows)[0].get<Maybe<std::string>>("content").value_or("");
}

}  // namespace plimsoll::postgres
