// Reports that a team pinned, and which of them a report is compared with.
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/kind_offers.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

// At most one a kind and comparison key; its data is the report's summary, which outlives the job.
constexpr jobs::Collection kBaselines{.name = "baseline",
                                      .singular = "baseline",
                                      .plural = "other baselines",
                                      .most = 200,
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

    awaitable<Outcome<Response>> list(const Call& call) const {
        const auto found =
            co_await store_.list(kBaselines, call.principal.team.id, {.with_data = false});
        if (!found) co_return tl::unexpected<Problem>(found.error());
        auto items = json::array();
        for (const auto& baseline : *found) items.push_back(baseline_json(baseline));
        co_return list_response(call, std::move(items), [](const json& item) {
            return item.at("kind").get<std::string>() + ' ' +
                   item.at("comparison_key").get<std::string>();
        });
    }

    awaitable<Outcome<Response>> get(const Call& call) const {
        const auto id = parse_public_id("base", call.parameters.text("baseline_id").value_or(""));
        const auto all =
            co_await store_.list(kBaselines, call.principal.team.id, {.with_data = false});
        if (!all) co_return tl::unexpected<Problem>(all.error());
        const auto found = std::ranges::find_if(
            *all, [&id](const auto& baseline) { return id && baseline.id == std::to_string(*id); });
        if (found == all->end()) co_return refuse(404, "The baseline was not found.");
        co_return json_response(200, baseline_json(*found));
    }

    awaitable<Outcome<Response>> of_job(const Call& call) const {
        auto report = co_await report_of(call);
        if (!report) co_return tl::unexpected(std::move(report.error()));
        const auto found = co_await store_.list(kBaselines, call.principal.team.id,
                                                {.section = report->section, .name = report->name});
        if (!found) co_return tl::unexpected<Problem>(found.error());
        json answer = {
            {"comparison_key", report->name}, {"baseline", nullptr}, {"summary", nullptr}};
        for (const auto& baseline : *found) {
            answer["baseline"] = baseline_json(baseline);
            answer["summary"] = json::parse(baseline.data);
        }
        co_return json_response(200, answer);
    }

    awaitable<Outcome<Response>> pin(const Call& call) const {
        auto report = co_await report_of(call);
        if (!report) co_return tl::unexpected(std::move(report.error()));
        const auto pinned = co_await store_.put(kBaselines, author_of(call), std::move(*report));
        if (!pinned) co_return tl::unexpected<Problem>(pinned.error());
        co_return json_response(200, baseline_json(*pinned));
    }

    awaitable<Outcome<Response>> remove(const Call& call) const {
        const auto id = parse_public_id("base", call.parameters.text("baseline_id").value_or(""));
        if (!id) co_return refuse(404, "The baseline was not found.");
        const auto removed =
            co_await store_.remove(kBaselines, author_of(call), std::to_string(*id));
        if (!removed) co_return tl::unexpected<Problem>(removed.error());
        co_return empty_response(204);
    }

  private:
    // The report of the job that the path names, as it would be pinned.
    awaitable<Outcome<jobs::TeamRecord>> report_of(const Call& call) const {
        const auto id = job_id_of(call.parameters.text("job_id"));
        if (!id) co_return tl::unexpected(id.error());
        const auto team = call.principal.team.id;
        const auto job = co_await jobs_.get(team, *id);
        if (!job) co_return tl::unexpected<Problem>(job.error());
        const auto* offer = offer_of(kinds_, job->kind);
        if (offer == nullptr || offer->comparison_key == nullptr) {
            co_return tl::unexpected(
                Problem(404, "Reports of kind " + job->kind + " cannot be compared."));
        }
        if (auto final = require_final(*job); !final) co_return tl::unexpected(final.error());
        auto summary = co_await jobs_.report(team, *id);
        if (!summary) co_return tl::unexpected<Problem>(summary.error());
        jobs::TeamRecord pinned;
        pinned.section = job->kind;
        pinned.name = offer->comparison_key(json::parse(job->args), json::parse(*summary));
        pinned.job = *id;
        pinned.data = std::move(*summary);
        co_return pinned;
    }

    queue::JobStore& jobs_;
    teams::TeamRecordStore& store_;
    Kinds kinds_;
};

}  // namespace

void add_baselines(Handlers& handlers, queue::JobStore& jobs, teams::TeamRecordStore& store,
                   Kinds kinds) {
    const auto baselines = std::make_shared<const Baselines>(jobs, store, kinds);
    handlers["listBaselines"] = [baselines](const Call& call) { return baselines->list(call); };
    handlers["getBaseline"] = [baselines](const Call& call) { return baselines->get(call); };
    handlers["getJobBaseline"] = [baselines](const Call& call) { return baselines->of_job(call); };
    handlers["setJobBaseline"] = [baselines](const Call& call) { return baselines->pin(call); };
    handlers["deleteBaseline"] = [baselines](const Call& call) { return baselines->remove(call); };
}

}  // namespace plimsoll::http::endpoints
