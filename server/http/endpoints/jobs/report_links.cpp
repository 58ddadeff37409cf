// Links that show one report to anyone who has them, and what they show.
#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/reports.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/link_expiry.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/identity/secret.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

namespace {

constexpr LinkLifetime kReportLinkLifetime{
    .standard = std::chrono::days(7), .longest = std::chrono::days(365), .within_credential = true};

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

// JSON text without blanks, as reports and arguments are stored, in which machines have numbers in
// place of their names: "node":"vm" and "device":"vm/host".
std::string without_nodes(std::string text) {
    std::vector<std::string> names;
    for (const std::string_view key : {R"("node":")", R"("device":")"}) {
        for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
            at += key.size();
            const auto end = text.find(key.starts_with("\"n") ? "\"" : "/", at);
            const auto name = text.substr(at, end - at);
            if (end == std::string::npos || name.empty() || name.find('"') != std::string::npos)
                continue;
            const auto known = std::ranges::find(names, name);
            const auto number = std::to_string(known - names.begin() + 1);
            if (known == names.end()) names.push_back(name);
            text.replace(at, name.size(), "node-" + number);
        }
    }
    return text;
}

class ReportLinks {
  public:
    ReportLinks(queue::JobStore& jobs, teams::ReportLinkStore& store, const Clock& clock)
        : jobs_(jobs), store_(store), opener_(store), clock_(clock) {}

    awaitable<Response> list(const Call& call) const {
        std::optional<JobId> job;
        if (const auto named = call.parameters.text("job_id")) job = job_id_of(named);
        const auto before = page_cursor<teams::ReportLinkId>(call, "link");
        auto links =
            need(co_await store_.list(call.principal.team.id, job, before, peek_limit(call)));
        co_return page_response(call, std::move(links), link_json, place_by_id<teams::ReportLink>);
    }

    awaitable<Response> create(const Call& call) const {
        // Nobody can share what they may not read.
        need(require_scope(call.principal, "reports:read"));
        const auto id = job_id_of(call.parameters.text("job_id"));
        const auto end = link_expiry(call, clock_.now(), kReportLinkLifetime);
        const auto report = need(co_await jobs_.report(call.principal.team.id, id));
        const auto secret = identity::make_secret(identity::SecretKind::report_link);
        const auto made = need(co_await store_.create(
            author_of(call), {id,
                              call.body.value("note", ""),
                              secret.hash,
                              end,
                              {call.principal.token, call.principal.session}}));
        co_return located(json_response(201, {{"report_link", link_json(made)},
                                              {"secret", secret.text},
                                              {"path", "/#/shared/" + secret.text}}),
                          "/v1/report-links/" + to_public(made.id));
    }

    awaitable<Response> revoke(const Call& call) const {
        const auto id = named(call);
        need(co_await store_.revoke(author_of(call), id));
        co_return empty_response(204);
    }

    awaitable<Response> open(const Call& call) {
        const auto opened = co_await opener_.open(call);
        const auto& [shared_by, note, expires_at, maker, job, summary] = opened.report;
        const json about = {{"id", to_public(job.id)},
                            {"kind", job.kind},
                            {"name", text_or_null(job.name)},
                            {"args", json::parse(without_nodes(job.args))},
                            {"created_at", to_rfc3339(job.created_at)},
                            {"finished_at", time_or_null(job.finished_at)}};
        JsonWriter out;
        out.begin_object();
        out.key("shared_by").text(shared_by);
        out.key("note").json(to_text(text_or_null(note)));
        out.key("expires_at").text(to_rfc3339(expires_at));
        out.key("job").json(to_text(about));
        write_report(out.key("report"), job, without_nodes(summary));
        out.end_object();
        co_return json_text_response(200, out.take());
    }

  private:
    static teams::ReportLinkId named(const Call& call) {
        return parse_id<teams::ReportLinkId>("link", call.parameters.text("report_link_id"),
                                             "The report link was not found.");
    }

    queue::JobStore& jobs_;
    teams::ReportLinkStore& store_;
    LinkedReports opener_;
    const Clock& clock_;
};

}  // namespace

void add_report_links(Handlers& handlers, queue::JobStore& jobs, teams::ReportLinkStore& store,
                      const Clock& clock) {
    const Members on(handlers, std::make_shared<ReportLinks>(jobs, store, clock));
    on("listReportLinks", &ReportLinks::list);
    on("createReportLink", &ReportLinks::create);
    on("deleteReportLink", &ReportLinks::revoke);
    on("getLinkedReport", &ReportLinks::open);
}

}  // namespace plimsoll::http::endpoints
