#pragma once

#include "server/base/json_writer.hpp"
#include "server/queue/job.hpp"

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

}  // namespace plimsoll::http::endpoints
