// Reports that a team pinned, and which of them a report is compared with.
#include "engine/base/json.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/kind_extras.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"

namespace plimsoll::http::endpoints {

namespace {

// At most one a kind and comparison key; its data is the report's summary, which outlives the job.
constexpr jobs::Collection kBaselines{.name = "baseline",
                                      .singular = "baseline",
                                      .plural = "other baselines",
                                      .max = 200,
                                      .has_origins = true,
                                      .written = "pin"};

json baseline_json(const jobs::TeamRecord& baseline) {
    return {{"id", public_id("base", std::stoll(baseline.id))},
            {"kind", baseline.section},
            {"comparison_key", baseline.name},
            {"job_id", baseline.job ? json(plimsoll::to_public(*baseline.job)) : json(nullptr)},
            {"pinned_by", text_or_null(baseline.author)},
            {"pinned_at", to_rfc3339(baseline.updated_at)}};
}

class Baselines {
  public:
    Baselines(queue::JobStore& jobs, teams::TeamRecordStore& store, Kinds kinds)
        : jobs_(jobs), store_(store), kinds_(kinds) {}

    awaitable<Response> list(const Call& call) const {
        const auto found =
            need(co_await store_.list(kBaselines, call.principal.team.id, {.with_data = false}));
        co_return list_response(call, array_of(found, baseline_json), [](const json& item) {
            return item.at("kind").get<std::string>() + ' ' +
                   item.at("comparison_key").get<std::string>();
        });
    }

    awaitable<Response> of_job(const Call& call) const {
        auto report = co_await report_of(call);
        const auto found = need(co_await store_.list(
            kBaselines, call.principal.team.id, {.section = report.section, .name = report.name}));
        json answer = {
            {"comparison_key", report.name}, {"baseline", nullptr}, {"summary", nullptr}};
        for (const auto& baseline : found) {
            answer["baseline"] = baseline_json(baseline);
            answer["summary"] = json::parse(baseline.data);
        }
        co_return json_response(200, answer);
    }

    awaitable<Response> pin(const Call& call) const {
        auto report = co_await report_of(call);
        const auto pinned =
            need(co_await store_.put(kBaselines, author_of(call), std::move(report)));
        co_return json_response(200, baseline_json(pinned));
    }

    awaitable<Response> remove(const Call& call) const {
        const auto id = parse_id<Id<struct BaselineTag>>(
            "base", call.parameters.text("baseline_id"), "The baseline was not found.");
        need(co_await store_.remove(kBaselines, author_of(call), std::to_string(id.value)));
        co_return empty_response(204);
    }

  private:
    // The report of the job that the path names, as it would be pinned.
    awaitable<jobs::TeamRecord> report_of(const Call& call) const {
        const auto id = job_id_of(call.parameters.text("job_id"));
        const auto team = call.principal.team.id;
        const auto job = need(co_await jobs_.get(team, id));
        const auto* extras = extras_of(kinds_, job.kind);
        if (extras == nullptr || extras->comparison_key == nullptr)
            throw Refused(Problem(404, "Reports of kind " + job.kind + " cannot be compared."));
        require_final(job);
        auto summary = need(co_await jobs_.report(team, id));
        jobs::TeamRecord pinned;
        pinned.section = job.kind;
        pinned.name = extras->comparison_key(json::parse(job.args), json::parse(summary));
        pinned.job = id;
        pinned.data = std::move(summary);
        co_return pinned;
    }

    queue::JobStore& jobs_;
    teams::TeamRecordStore& store_;
    Kinds kinds_;
};

}  // namespace

void add_baselines(Handlers& handlers, queue::JobStore& jobs, teams::TeamRecordStore& store,
                   Kinds kinds) {
    const http::Members on(handlers, std::make_shared<const Baselines>(jobs, store, kinds));
    on("listBaselines", &Baselines::list);
    on("getJobBaseline", &Baselines::of_job);
    on("setJobBaseline", &Baselines::pin);
    on("deleteBaseline", &Baselines::remove);
}

}  // namespace plimsoll::http::endpoints
