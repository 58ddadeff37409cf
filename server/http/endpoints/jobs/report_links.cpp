// Links that show one report to anyone who has them, and what they show.
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/linked_report.hpp"
#include "server/http/endpoints/jobs/report_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/link_end.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/identity/secret.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

constexpr LinkLife kReportLinkLife{
    .usual = std::chrono::days(7), .longest = std::chrono::days(365), .within_credential = true};

json link_json(const teams::ReportLink& link) {
    return {{"id", to_public(link.id)},
            {"job_id", to_public(link.job)},
            {"job_kind", text_or_null(link.job_kind)},
            {"job_name", text_or_null(link.job_name)},
            {"created_by", {{"id", to_public(link.user)}, {"name", link.user_name}}},
            {"note", text_or_null(link.note)},
            {"created_at", to_rfc3339(link.created_at)},
            {"expires_at", to_rfc3339(link.expires_at)},
            {"opened_at", time_or_null(link.opened_at)},
            {"opens", link.opens}};
}

class ReportLinks {
  public:
    ReportLinks(queue::JobStore& jobs, teams::ReportLinkStore& store, const Clock& clock)
        : jobs_(jobs), store_(store), opener_(store), clock_(clock) {}

    awaitable<Outcome<Response>> list(const Call& call) const {
        std::optional<JobId> job;
        if (const auto named = call.parameters.text("job_id")) {
            const auto id = job_id_of(named);
            if (!id) co_return tl::unexpected(id.error());
            job = *id;
        }
        const auto before = page_cursor<teams::ReportLinkId>(call, "link");
        if (!before) co_return tl::unexpected(before.error());
        const auto limit = static_cast<int>(page_limit(call)) + 1;
        auto links = co_await store_.list(call.principal.team.id, job, *before, limit);
        if (!links) co_return tl::unexpected<Problem>(links.error());
        co_return page_response(call, std::move(*links),
                                [](JsonWriter& page, const teams::ReportLink& link) {
                                    page.json(to_text(link_json(link)));
                                });
    }

    awaitable<Outcome<Response>> get(const Call& call) const {
        const auto id = named(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto link = co_await store_.get(call.principal.team.id, *id);
        if (!link) co_return tl::unexpected<Problem>(link.error());
        co_return json_response(200, link_json(*link));
    }

    awaitable<Outcome<Response>> create(const Call& call) const {
        // Nobody can share what they may not read.
        if (auto may = require_scope(call.principal, "reports:read"); !may) {
            co_return tl::unexpected(may.error());
        }
        const auto id = job_id_of(call.parameters.text("job_id"));
        if (!id) co_return tl::unexpected(id.error());
        const auto end = link_end(call, clock_.now(), kReportLinkLife);
        if (!end) co_return tl::unexpected(end.error());
        const auto report = co_await jobs_.report(call.principal.team.id, *id);
        if (!report) co_return tl::unexpected<Problem>(report.error());
        const auto secret = identity::make_secret(identity::SecretKind::report_link);
        const auto made = co_await store_.create(author_of(call),
                                                 {*id,
                                                  call.body.value("note", ""),
                                                  secret.hash,
                                                  *end,
                                                  {call.principal.token, call.principal.session}});
        if (!made) co_return tl::unexpected<Problem>(made.error());
        auto response = json_response(201, {{"report_link", link_json(*made)},
                                            {"secret", secret.text},
                                            {"path", "/#/shared/" + secret.text}});
        response.with("Location", "/v1/report-links/" + to_public(made->id));
        co_return response;
    }

    awaitable<Outcome<Response>> revoke(const Call& call) const {
        const auto id = named(call);
        if (!id) co_return tl::unexpected(id.error());
        const auto revoked = co_await store_.revoke(author_of(call), *id);
        if (!revoked) co_return tl::unexpected<Problem>(revoked.error());
        co_return empty_response(204);
    }

    awaitable<Outcome<Response>> open(const Call& call) {
        const auto opened = co_await opener_.open(call);
        if (!opened) co_return tl::unexpected(opened.error());
        const auto& [shared_by, note, expires_at, maker, job, summary] = opened->report;
        co_return json_response(200, {{"shared_by", shared_by},
                                      {"note", text_or_null(note)},
                                      {"expires_at", to_rfc3339(expires_at)},
                                      {"job",
                                       {{"id", to_public(job.id)},
                                        {"kind", job.kind},
                                        {"name", text_or_null(job.name)},
                                        {"args", json::parse(job.args)},
                                        {"created_at", to_rfc3339(job.created_at)},
                                        {"finished_at", time_or_null(job.finished_at)}}},
                                      {"report", report_json(job, summary)}});
    }

  private:
    static Outcome<teams::ReportLinkId> named(const Call& call) {
        const auto id =
            parse_public_id("link", call.parameters.text("report_link_id").value_or(""));
        if (!id) return refuse(404, "The report link was not found.");
        return teams::ReportLinkId{*id};
    }

    queue::JobStore& jobs_;
    teams::ReportLinkStore& store_;
    LinkedReports opener_;
    const Clock& clock_;
};

}  // namespace

void add_report_links(Handlers& handlers, queue::JobStore& jobs, teams::ReportLinkStore& store,
                      const Clock& clock) {
    const auto links = std::make_shared<ReportLinks>(jobs, store, clock);
    handlers["listReportLinks"] = [links](const Call& call) { return links->list(call); };
    handlers["createReportLink"] = [links](const Call& call) { return links->create(call); };
    handlers["getReportLink"] = [links](const Call& call) { return links->get(call); };
    handlers["deleteReportLink"] = [links](const Call& call) { return links->revoke(call); };
    handlers["getLinkedReport"] = [links](const Call& call) { return links->open(call); };
}

}  // namespace plimsoll::http::endpoints
