#pragma once

#include "server/queue/job.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {

// A report as in the contract. `summary`: JSON text.
inline nlohmann::json report_json(const queue::Job& job, const std::string& summary) {
    return {{"job_id", to_public(job.id)},
            {"kind", job.kind},
            {"created_at", to_rfc3339(job.finished_at.value_or(job.created_at))},
            {"items",
             {{"total", job.items_total},
              {"ok", job.items_done - job.items_failed},
              {"failed", job.items_failed}}},
            {"summary", nlohmann::json::parse(summary)}};
}

}  // namespace plimsoll::http::endpoints
