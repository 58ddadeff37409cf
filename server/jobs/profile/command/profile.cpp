#include "server/jobs/profile/command/profile.hpp"

#include "server/cli/baselines.hpp"
#include "server/cli/rest_commands.hpp"
#include "server/jobs/profile/command/profile_changes.hpp"
#include "server/terminal/members.hpp"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <nlohmann/json.hpp>

namespace plimsoll::client {
namespace {

using nlohmann::json;

json request_of(const ProfileOptions& options) {
    json limits = json::object();
    if (options.largest_batch) limits["max_batch"] = *options.largest_batch;
    if (options.latency_ms) limits["latency_ms"] = *options.latency_ms;
    if (options.memory_mb) limits["memory_mb"] = *options.memory_mb;
    json args{{"mode", options.mode}, {"limits", std::move(limits)}};
    if (!options.llm_endpoint.empty()) args["llm_endpoint"] = options.llm_endpoint;
    if (!options.llm_model.empty()) args["llm_model"] = options.llm_model;
    if (options.mode == "sentiment" || options.mode == "full")
        args["sentiment_model"] = options.sentiment_model;
    if (!options.device_class.empty()) args["device_class"] = options.device_class;
    if (!options.device.empty()) args["device"] = options.device;
    return {{"kind", "profile"}, {"args", std::move(args)}};
}

std::string file_name() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char name[64];
    std::strftime(name, sizeof name, "gpu_profile_%Y%m%d_%H%M%S.json", &local);
    return name;
}

Result<std::filesystem::path> write(const std::string& folder, const json& summary) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const auto path = std::filesystem::path(folder) / file_name();
    std::ofstream out(path);
    out << summary.dump(2) << '\n';
    out.close();
    if (!out) return fail(Errc::unavailable, "The report cannot be written.", path.string());
    return path;
}

Result<json> read(const std::string& file) {
    std::ifstream in(file);
    auto report = json::parse(in, nullptr, false);
    if (!report.is_object() || !report.contains("results")) {
        return fail(Errc::invalid_input, "This is no report of a profile.", file);
    }
    return report;
}

// Like watch(), but leaves the standard output to the report.
int wait_for(const Session& session, ApiClient& api, const std::string& id) {
    for (;;) {
        const auto job = api.get_json("/v1/jobs/" + id + "?wait=30");
        if (!job) return report_error(session, job.error());
        const auto state = job->value("state", "");
        if (state == "succeeded") return 0;
        if (state == "failed" || state == "cancelled") {
            session.terminal.note(id + " " + state);
            return 1;
        }
    }
}

// What the team pinned for reports like this one; none, or the report itself: no text.
Result<std::string> changes_since_pinned(const Session& session, ApiClient& api,
                                         const std::string& id, const json& summary) {
    const auto found = api.get_json("/v1/jobs/" + id + "/baseline");
    if (!found) return fail(found.error());
    const json& baseline = found->at("baseline");
    if (baseline.is_null() || text_of(baseline, "job_id") == id) return "";
    auto job = text_of(baseline, "job_id");
    if (job.empty()) job = "a job that has been deleted";
    return changes_text(session.terminal, found->at("summary"), summary) + "\nThe baseline is of " +
           job + ", pinned at " + text_of(baseline, "pinned_at") + ".";
}

}  // namespace

int profile(const Session& session, const ProfileOptions& options) {
    json baseline;
    if (!options.baseline.empty()) {
        auto found = read(options.baseline);
        if (!found) return report_error(session, found.error());
        baseline = std::move(*found);
    }
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    const auto job = api->post_json("/v1/jobs", request_of(options));
    if (!job) return report_error(session, job.error());
    const auto id = job->value("id", "");
    session.terminal.note("Submitted " + id);
    if (const int code = session.json ? wait_for(session, *api, id) : watch(session, id);
        code != 0) {
        return code;
    }
    const auto report = api->get_json("/v1/jobs/" + id + "/report");
    if (!report) return report_error(session, report.error());
    const json& summary = report->at("summary");
    const auto file = write(options.output_folder, summary);
    if (!file) return report_error(session, file.error());
    if (!session.json) {
        session.terminal.line(session.summary_text("profile", summary));
        const Result<std::string> changes = baseline.is_null()
                                                ? changes_since_pinned(session, *api, id, summary)
                                                : changes_text(session.terminal, baseline, summary);
        if (!changes) return report_error(session, changes.error());
        if (!changes->empty()) session.terminal.line("\n" + *changes);
    }
    session.terminal.line(session.json ? summary.dump(2) : file->string());
    if (options.pin) {
        const auto pinned = pin_report(*api, id);
        if (!pinned) return report_error(session, pinned.error());
        session.terminal.note("Baseline of " + text_of(*pinned, "comparison_key") + ".");
    }
    return summary.at("errors").empty() ? 0 : 1;
}

}  // namespace plimsoll::client
