#include "server/cli/baselines.hpp"

#include "server/terminal/list.hpp"
#include "server/terminal/members.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::client {

int list_baselines(const Session& session) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    const auto row_of = [](const nlohmann::json& baseline) -> std::vector<std::string> {
        const auto job = text_of(baseline, "job_id");
        return {text_of(baseline, "id"),
                text_of(baseline, "kind"),
                text_of(baseline, "comparison_key"),
                job.empty() ? "deleted, numbers kept" : job,
                text_of(baseline, "pinned_by"),
                text_of(baseline, "pinned_at")};
    };
    return show_list(session, api->get_json("/v1/baselines"),
                     {{"BASELINE", "KIND", "COMPARED WITH", "JOB", "PINNED BY", "AT"}}, row_of,
                     "No baselines: plimsoll baselines pin JOB …");
}

Result<nlohmann::json> pin_report(ApiClient& api, const std::string& job_id) {
    const auto made = api.send("PUT", "/v1/jobs/" + job_id + "/baseline");
    if (!made) return fail(made.error());
    return nlohmann::json::parse(made->body);
}

int pin_baseline(const Session& session, const std::string& job_id) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    const auto pinned = pin_report(*api, job_id);
    if (!pinned) return report_error(session, pinned.error());
    session.terminal.line(session.json ? pinned->dump(2)
                                       : "Baseline of " + text_of(*pinned, "comparison_key") + ".");
    return 0;
}

int remove_baseline(const Session& session, const std::string& id) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    const auto removed = api->send("DELETE", "/v1/baselines/" + id);
    return removed ? 0 : report_error(session, removed.error());
}

}  // namespace plimsoll::client
