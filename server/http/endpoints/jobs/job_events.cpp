// A job's events, as a page or as a stream.
#include "engine/base/json.hpp"
#include "server/base/fair_budget.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/messages/accept.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/messages/sse.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::http::endpoints {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr std::string_view kEventStream = "text/event-stream";
constexpr int kEventsPerRead = 200;

struct Sources {
    queue::JobStore& store;
    queue::JobSignals& signals;
    identity::IdentityStore& identity;
    const Draining& draining;
    const Clock& clock;
};

json event_json(const queue::JobEvent& event) {
    auto data = json::parse(event.data, nullptr, false);
    if (!data.is_object()) data = json::object();
    return {{"number", event.number},
            {"type", event.type},
            {"at", to_rfc3339(event.at)},
            {"data", std::move(data)}};
}

class EventStream final : public BodyStream {
  public:
    EventStream(const Sources& sources, Request request, TeamId team, JobId job, std::int64_t after,
                FairBudget::Reservation place)
        : sources_(sources),
          request_(std::move(request)),
          team_(team),
          job_(job),
          after_(after),
          place_(std::move(place)) {}

    awaitable<Result<std::optional<std::string>>> next() override {
        if (!begun_) {
            begun_ = true;
            co_return sse::retry(limits::kStreamRetry);
        }
        if (over_ || sources_.draining.begun() || !co_await still_allowed()) co_return std::nullopt;
        auto text = co_await news();
        if (text.empty() && over_) co_return std::nullopt;
        if (text.empty() && SteadyClock::now() >= silent_until_) text = sse::heartbeat();
        if (text.empty())
            co_await wait();
        else
            silent_until_ = SteadyClock::now() + limits::kHeartbeat;
        co_return text;
    }

  private:
    // What happened since the last call. The job is read first: when it is final, all its events
    // are there. A database outage does not end the stream; the next read may succeed.
    awaitable<std::string> news() {
        const auto job = co_await sources_.store.get(team_, job_);
        if (!job) {
            over_ = job.error().code == Errc::not_found;
            co_return std::string();
        }
        std::string text;
        // Every event is also a new version of the job.
        for (bool more = job->version != seen_version_; more;) {
            const auto events = co_await sources_.store.events(team_, job_, after_, kEventsPerRead);
            if (!events) co_return text;
            for (const auto& event : *events) {
                after_ = event.number;
                text += sse::frame({event.number, event.type, event_json(event).dump()});
            }
            more = events->size() == static_cast<std::size_t>(kEventsPerRead);
        }
        if (job->version != seen_version_ || job->items_done != seen_items_) {
            seen_version_ = job->version;
            seen_items_ = job->items_done;
            const auto snapshot = job_text(*job, sources_.clock.now());
            text += sse::frame({std::nullopt, "job", snapshot});
        }
        over_ = queue::is_final(job->state);
        looked_at_ = SteadyClock::now();
        co_return text;
    }

    awaitable<void> wait() {
        co_await sources_.signals.changed(job_, SteadyClock::now() + limits::kSignalWait);
        if (const auto pace = looked_at_ + limits::kStreamPace; SteadyClock::now() < pace) {
            asio::steady_timer timer(co_await asio::this_coro::executor, pace);
            co_await timer.async_wait(asio::use_awaitable);
        }
    }

    awaitable<bool> still_allowed() {
        if (SteadyClock::now() < allowed_until_) co_return true;
        auto shown = read_credential(request_);
        if (!shown) co_return false;
        const auto principal =
            co_await authenticate(sources_.identity, request_, std::move(*shown));
        if (!principal && principal.error().status == 401) co_return false;
        allowed_until_ = SteadyClock::now() + limits::kSignalWait;
        co_return true;
    }

    Sources sources_;
    Request request_;
    TeamId team_;
    JobId job_;
    std::int64_t after_;
    FairBudget::Reservation place_;
    std::int64_t seen_version_ = -1;
    std::int64_t seen_items_ = -1;
    SteadyClock::time_point looked_at_;
    SteadyClock::time_point silent_until_ = SteadyClock::now() + limits::kHeartbeat;
    SteadyClock::time_point allowed_until_ = SteadyClock::now() + limits::kSignalWait;
    bool begun_ = false;
    bool over_ = false;
};

class JobEvents {
  public:
    explicit JobEvents(const Sources& sources) : sources_(sources) {}

    awaitable<Response> list(const Call& call) const {
        const auto id = job_id_of(call.parameters.text("job_id"));
        const auto type = negotiate(call.request.list("Accept"), call.operation.produces);
        if (type == kEventStream) co_return co_await stream(call, id);
        co_return co_await page(call, id);
    }

  private:
    static std::int64_t after_of(const Call& call) {
        const auto last = call.parameters.integer("Last-Event-ID");
        return last ? *last : call.parameters.integer("after").value_or(0);
    }

    awaitable<Response> page(const Call& call, JobId id) const {
        const auto after = after_of(call);
        const auto limit = static_cast<int>(call.parameters.integer("limit").value_or(50));
        const auto events =
            need(co_await sources_.store.events(call.principal.team.id, id, after, limit));
        json body = {{"items", json::array()}, {"next_after", after}};
        for (const auto& event : events) {
            body["items"].push_back(event_json(event));
            body["next_after"] = event.number;
        }
        co_return json_response(200, body);
    }

    awaitable<Response> stream(const Call& call, JobId id) const {
        const auto team = call.principal.team.id;
        const auto after = after_of(call);
        const auto job = need(co_await sources_.store.get(team, id));
        if (queue::is_final(job.state) && after > 0) {
            const auto rest = need(co_await sources_.store.events(team, id, after, 1));
            if (rest.empty()) co_return empty_response(204);
        }
        auto place = open_.reserve({to_public(call.principal.user.id), {}}, 1);
        if (!place) {
            throw Refused(Error{Errc::exhausted,
                                "You have " + std::to_string(limits::kStreamsPerUser) +
                                    " event streams open, the maximum.",
                                {}});
        }
        Response response;
        response.with("Content-Type", std::string(kEventStream))
            .with("X-Accel-Buffering", "no");  // asks nginx to pass events on at once
        response.stream = std::make_unique<EventStream>(sources_, call.request, team, id, after,
                                                        std::move(*place));
        co_return response;
    }

    Sources sources_;
    FairBudget open_{{.caller = limits::kStreamsPerUser}};
};

}  // namespace

void add_job_events(Handlers& handlers, queue::JobStore& store, queue::JobSignals& signals,
                    identity::IdentityStore& identity, const Draining& draining,
                    const Clock& clock) {
    const Members on(handlers, std::make_shared<const JobEvents>(
                                   Sources{store, signals, identity, draining, clock}));
    on("listJobEvents", &JobEvents::list);
}

}  // namespace plimsoll::http::endpoints
