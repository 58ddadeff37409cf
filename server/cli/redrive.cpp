#include "server/cli/rest_commands.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::client {
namespace {

using nlohmann::json;

json first_request(const RedriveOptions& options) {
    if (!options.jobs.empty()) return {{"job_ids", options.jobs}};
    json filter = json::object();
    if (!options.kind.empty()) filter["kind"] = options.kind;
    if (!options.label.empty()) filter["label"] = options.label;
    return {{"filter", std::move(filter)}};
}

}  // namespace

int redrive(const Session& session, const RedriveOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    json total = {{"redriven", 0}, {"refused", json::array()}};
    for (auto request = first_request(options);;) {
        auto answer = api->post_json("/v1/redrives", request);
        if (!answer) return report_error(session, answer.error());
        total["redriven"] = total["redriven"].get<int>() + answer->at("redriven").get<int>();
        for (const auto& refusal : answer->at("refused")) total["refused"].push_back(refusal);
        const auto& next = answer->at("next_cursor");
        if (next.is_null()) break;
        request["filter"]["cursor"] = next;
    }
    if (session.json) {
        session.terminal.line(total.dump(2));
    } else {
        session.terminal.line(std::to_string(total["redriven"].get<int>()) + " redriven");
        for (const auto& refusal : total["refused"]) {
            session.terminal.note(refusal.value("job_id", "") + ": " + refusal.value("detail", ""));
        }
    }
    return total["refused"].empty() ? 0 : 1;
}

}  // namespace plimsoll::client
