#include "server/terminal/follow_job.hpp"

#include "server/base/time.hpp"
#include "server/client/api_client.hpp"
#include "server/client/session.hpp"
#include "server/terminal/list.hpp"
#include "server/terminal/wait_reason.hpp"

#include <cmath>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace plimsoll::terminal {
namespace {

constexpr int kReconnects = 30;  // in a row without a single event; the server may be restarting
constexpr auto kReconnectPause = std::chrono::seconds(1);

bool is_final(const std::string& state) {
    return state == "succeeded" || state == "failed" || state == "cancelled";
}

ExitStatus status_of(const std::string& state, std::int64_t failed) {
    if (state == "cancelled") return ExitStatus::cancelled;
    if (state != "succeeded") return ExitStatus::failed;
    return failed > 0 ? ExitStatus::partly : ExitStatus::done;
}

// ", 4.2 s, 240 items/s": from the start of its first task.
std::string pace(const nlohmann::json& job, std::int64_t items) {
    const auto started = parse_rfc3339(text_of(job, "started_at"));
    const auto finished = parse_rfc3339(text_of(job, "finished_at"));
    if (!started || !finished || *finished <= *started || items == 0) return "";
    const std::chrono::duration<double> took = *finished - *started;
    const double rate = static_cast<double>(items) / took.count();
    return ", " + format_duration(took) + ", " +
           (rate < 100 ? fmt::format("{:.3g}", rate) : format_count(std::lround(rate))) +
           " items/s";
}

int conclude(const CommandContext& context, const nlohmann::json& job, Ending ending) {
    const auto state = job.value("state", "");
    const auto& progress = job.at("progress");
    const auto failed = progress.value("items_failed", std::int64_t{0});
    const auto ok = progress.value("items_done", std::int64_t{0}) - failed;
    const auto status = status_of(state, failed);
    std::string text = job.value("id", "") + " " + state + ": " + format_count(ok) + " ok, " +
                       format_count(failed) + " failed" + pace(job, ok + failed);
    if (job.contains("error") && job["error"].is_string())
        text += ". " + job["error"].get<std::string>();
    const auto painted =
        context.terminal.paint(status == ExitStatus::done ? Style::good : Style::bad, text);
    if (ending == Ending::note)
        context.terminal.note(painted);
    else
        context.terminal.line(context.json ? job.dump(2) : painted);
    if (failed > 0 && job.value("tasks_failed", 0) == 0 && !context.json) {
        context.terminal.note("For the error of each failed item: plimsoll results " +
                              job.value("id", ""));
    }
    return static_cast<int>(status);
}

}  // namespace

int follow_job(const CommandContext& context, const std::string& given_id, Ending ending) {
    auto job_id = given_id;
    auto api = client::signed_in(job_id);
    if (!api) return refuse(context, api.error());
    ProgressBar bar(context.terminal, job_id);
    nlohmann::json job;
    std::string last_id;
    WaitReason waiting(context, job_id);
    bool answered = false;  // a server that never did is not waited for
    for (int attempt = 0; attempt < kReconnects; ++attempt) {
        client::EventStreamParser parser;
        client::Headers headers{{"accept", "text/event-stream"}};
        if (!last_id.empty()) headers["last-event-id"] = last_id;
        auto read =
            api->stream("/v1/jobs/" + job_id + "/events", headers, [&](std::string_view piece) {
                parser.feed(piece, [&](const client::ServerEvent& event) {
                    attempt = 0;
                    answered = true;
                    if (!event.id.empty()) last_id = event.id;
                    if (event.type != "job") return;
                    job = nlohmann::json::parse(event.data, nullptr, false);
                    const auto& progress = job.at("progress");
                    bar.show(progress.value("items_done", std::int64_t{0}),
                             progress.value("items_total", std::int64_t{0}),
                             progress.value("fraction", 0.0));
                });
                if (job.is_object()) waiting.look(job.value("state", ""));
                return true;
            });
        if (job.is_object() && is_final(job.value("state", ""))) {
            bar.finish();
            return conclude(context, job, ending);
        }
        if (!read && read.error().code != Errc::unavailable) {
            bar.finish();
            return refuse(context, read.error());
        }
        // The stream broke: the job may have ended meanwhile. This read waits on the server's side,
        // so that the server is not polled in a tight loop.
        auto now = api->get_json("/v1/jobs/" + job_id + "?wait=1");
        if (now && is_final(now->value("state", ""))) {
            bar.finish();
            return conclude(context, *now, ending);
        }
        if (!now && !answered) {
            bar.finish();
            return refuse(context, now.error());
        }
        answered = true;
        if (!now) std::this_thread::sleep_for(kReconnectPause);
    }
    bar.finish();
    return refuse(context,
                  {Errc::unavailable, "The server no longer responds; the job continues.", {}});
}

}  // namespace plimsoll::terminal
