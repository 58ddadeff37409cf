#include "server/cli/rest_commands.hpp"
#include "server/terminal/members.hpp"
#include "server/terminal/report_text.hpp"

#include <cctype>
#include <cstdio>
#include <memory>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plimsoll::client {
namespace {

// For a query: everything but letters, digits and the few signs that need no escape.
std::string escaped(std::string_view text) {
    constexpr std::string_view kPlain = "-._~";
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos) {
            out += c;
        } else {
            out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        }
    }
    return out;
}

}  // namespace

int list_jobs(const Session& session, const JobListOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    std::string target = "/v1/jobs?limit=" + std::to_string(options.limit);
    if (!options.kind.empty()) target += "&kind=" + escaped(options.kind);
    if (!options.state.empty()) target += "&state=" + escaped(options.state);
    if (!options.label.empty()) target += "&label=" + escaped(options.label);
    auto page = api->get_json(target);
    if (!page) return report_error(session, page.error());
    if (session.json) {
        session.terminal.line(page->dump(2));
        return 0;
    }
    std::vector<std::vector<std::string>> rows = {
        {"JOB", "KIND", "STATE", "DONE", "ITEMS", "FAILED", "CREATED", "NAME"}};
    for (const auto& job : page->at("items")) {
        const auto& progress = job.at("progress");
        rows.push_back({text_of(job, "id"), text_of(job, "kind"), text_of(job, "state"),
                        format_share(progress.value("fraction", 0.0)),
                        format_count(progress.value("items_done", std::int64_t{0})) + "/" +
                            format_count(progress.value("items_total", std::int64_t{0})),
                        format_count(progress.value("items_failed", std::int64_t{0})),
                        text_of(job, "created_at"), text_of(job, "name")});
    }
    session.terminal.line(rows.size() > 1 ? format_table(session.terminal, rows)
                                          : "No jobs yet: plimsoll submit …");
    return 0;
}

int show_wait(const Session& session, const std::string& job_id) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto wait = api->get_json("/v1/jobs/" + job_id + "/wait-reason");
    if (!wait) return report_error(session, wait.error());
    const auto until = text_of(*wait, "until");
    const auto from = text_of(*wait, "earliest_start_at");
    session.terminal.line(
        session.json ? wait->dump(2)
                     : text_of(*wait, "detail") + (until.empty() ? "" : " Until " + until + ".") +
                           (from.empty() ? ""
                                         : " It will probably start between " + from + " and " +
                                               text_of(*wait, "latest_start_at") + "."));
    return 0;
}

int cancel(const Session& session, const std::string& job_id) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto job = api->post_json("/v1/jobs/" + job_id + "/cancellation", nullptr);
    if (!job) return report_error(session, job.error());
    session.terminal.line(session.json ? job->dump(2) : job_id + " " + text_of(*job, "state"));
    return 0;
}

namespace {

// As its kind wants it, where this program knows the kind as the server does.
std::string readable(const Session& session, const nlohmann::json& report) {
    if (session.summary_text) {
        try {
            auto text = session.summary_text(report.at("kind"), report.at("summary"));
            while (text.ends_with('\n')) text.pop_back();
            if (!text.empty()) return text;
        } catch (const nlohmann::json::exception&) {
            // A server of another version: everything it said, in its own words.
        }
    }
    return report_text(session.terminal, report);
}

}  // namespace

int show_report(const Session& session, const std::string& job_id) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto report = api->get_json("/v1/jobs/" + job_id + "/report");
    if (!report) return report_error(session, report.error());
    session.terminal.line(session.json ? report->dump(2) : readable(session, *report));
    return 0;
}

int download_results(const Session& session, const std::string& job_id, const std::string& format,
                     const std::string& file) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(
        file.empty() ? nullptr : std::fopen(file.c_str(), "wb"), std::fclose);
    if (!file.empty() && !opened)
        return report_error(session, {Errc::invalid_input, "Cannot write " + file + ".", {}});
    std::FILE* out = opened ? opened.get() : stdout;
    bool written = true;
    auto done = api->stream("/v1/jobs/" + job_id + "/results?format=" + format, {{"accept", "*/*"}},
                            [&](std::string_view piece) {
                                written =
                                    std::fwrite(piece.data(), 1, piece.size(), out) == piece.size();
                                return written;
                            });
    if (!done) return report_error(session, done.error());
    if (!written || std::fflush(out) != 0) {
        return report_error(
            session,
            {Errc::invalid_input, "Writing stopped: the disk is full or the pipe closed.", {}});
    }
    return 0;
}

}  // namespace plimsoll::client
