// Reading one job: now, or when it changes; and its report.
#include "engine/base/json.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/reports.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/pool/pool_json.hpp"
#include "server/http/endpoints/user_turns.hpp"
#include "server/http/messages/limits.hpp"

#include <algorithm>

#include <boost/asio/this_coro.hpp>

namespace plimsoll::http::endpoints {

using SteadyClock = std::chrono::steady_clock;

namespace {

class JobReading {
  public:
    JobReading(queue::JobStore& store, queue::JobSignals& signals, Kinds kinds,
               const Draining& draining, const Clock& clock)
        : store_(store), signals_(signals), kinds_(kinds), draining_(draining), clock_(clock) {}

    awaitable<Response> get(const Call& call) const {
        const auto id = job_id_of(call.parameters.text("job_id"));
        const auto known = call.parameters.text("If-None-Match").value_or("");
        const auto end =
            SteadyClock::now() + std::chrono::seconds(call.parameters.integer("wait").value_or(0));
        for (;;) {
            const auto job = need(co_await store_.get(call.principal.team.id, id));
            const bool unchanged = names_version(known, job_etag(job));
            const bool worth_waiting = !queue::is_final(job.state) && (known.empty() || unchanged);
            if (!worth_waiting || draining_.begun() || SteadyClock::now() >= end)
                co_return answer(job, unchanged);
            const auto wake = std::min(end, SteadyClock::now() + limits::kSignalWait);
            co_await signals_.changed(id, wake);
        }
    }

    awaitable<Response> report(const Call& call) {
        const auto id = job_id_of(call.parameters.text("job_id"));
        const auto job = need(co_await store_.get(call.principal.team.id, id));
        require_final(job);
        // A user who asks for many large reports at once delays nobody else by more than one.
        auto turns = turns_.of(call.principal.user.id, co_await boost::asio::this_coro::executor);
        const auto turn = co_await turns.wait();
        const auto summary = need(co_await store_.report(call.principal.team.id, id));
        JsonWriter out;
        write_report(out, job, summary);
        co_return json_text_response(200, out.take());
    }

    awaitable<Response> wait(const Call& call) const {
        const auto id = job_id_of(call.parameters.text("job_id"));
        const auto wait = need(co_await store_.wait(call.principal.team.id, id));
        if (!wait) {
            queue::Wait ended;
            ended.reason = "ended";
            co_return json_response(200, wait_json(ended, {}, "The job has finished."));
        }
        const auto missing = missing_capability(*wait);
        co_return json_response(200, wait_json(*wait, missing, queue::describe(*wait, missing)));
    }

  private:
    std::optional<jobs::MissingCapability> missing_capability(const queue::Wait& why) const {
        const auto kind = std::ranges::find(kinds_, why.kind, &jobs::Contract::name);
        return kind == kinds_.end() ? std::nullopt : queue::missing_capability(why, *kind);
    }

    static json missing_models(const std::optional<jobs::MissingCapability>& missing) {
        auto models = json::array();
        if (!missing) return models;
        for (const auto& [name, hash, form] : missing->models)
            models.push_back({{"name", name}, {"hash", hash}, {"form", form}});
        return models;
    }

    static json wait_json(const queue::Wait& why,
                          const std::optional<jobs::MissingCapability>& missing,
                          const std::string& detail) {
        return {{"reason", why.reason},
                {"detail", detail},
                {"until", time_or_null(why.until)},
                {"tasks_ahead", why.tasks_ahead},
                {"device_class", text_or_null(why.device_class)},
                {"missing_models", missing_models(missing)},
                {"share", why.share ? share_json(*why.share) : json(nullptr)},
                {"earliest_start_at", time_or_null(why.earliest_start_at)},
                {"latest_start_at", time_or_null(why.latest_start_at)}};
    }

    Response answer(const queue::Job& job, bool unchanged) const {
        auto response =
            unchanged ? empty_response(304) : json_text_response(200, job_text(job, clock_.now()));
        response.with("ETag", job_etag(job));
        return response;
    }

    queue::JobStore& store_;
    queue::JobSignals& signals_;
    Kinds kinds_;
    const Draining& draining_;
    const Clock& clock_;
    UserTurns turns_;
};

}  // namespace

void add_job_reading(Handlers& handlers, queue::JobStore& store, queue::JobSignals& signals,
                     Kinds kinds, const Draining& draining, const Clock& clock) {
    const Members on(handlers,
                     std::make_shared<JobReading>(store, signals, kinds, draining, clock));
    on("getJob", &JobReading::get);
    on("getJobWaitReason", &JobReading::wait);
    on("getJobReport", &JobReading::report);
}

}  // namespace plimsoll::http::endpoints
