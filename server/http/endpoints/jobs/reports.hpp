#pragma once

#include "server/base/json_writer.hpp"
#include "server/http/access/failure_limit.hpp"
#include "server/http/api/handler.hpp"
#include "server/queue/job.hpp"
#include "server/teams/report_link_store.hpp"

#include <string>

namespace plimsoll::http::endpoints {

// A report as in the contract. `summary` is JSON text of any size, and is not parsed.
inline void write_report(JsonWriter& out, const queue::Job& job, std::string_view summary) {
    out.begin_object();
    out.key("job_id").text(to_public(job.id)).key("kind").text(job.kind);
    out.key("created_at").text(to_rfc3339(job.finished_at.value_or(job.created_at)));
    out.key("items").begin_object();
    out.key("total").number(job.items_total);
    out.key("ok").number(job.items_done - job.items_failed);
    out.key("failed").number(job.items_failed);
    out.end_object();
    out.key("summary").json(summary);
    out.end_object();
}

// Opens the report of the link whose secret a call sends in X-Report-Link. Slows down guessing.
class LinkedReports {
  public:
    struct Opened {
        std::string hash;
        teams::LinkedReport report;
    };

    explicit LinkedReports(teams::ReportLinkStore& store) : store_(store) {}

    // 404: the link opens no report; 429: too many failed attempts from this address.
    awaitable<Opened> open(const Call& call);

  private:
    teams::ReportLinkStore& store_;
    FailureLimit limit_{limits::kFailedCredentials, limits::kFailureWindow, "failed-links"};
};

}  // namespace plimsoll::http::endpoints
