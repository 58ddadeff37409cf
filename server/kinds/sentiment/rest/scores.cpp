// Scores a few short texts within one call: runs a job of the highest priority and waits for it.
#include "engine/base/json.hpp"
#include "server/http/access/caller_limits.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/endpoints/jobs/run_at_once.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/rest/rest.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::jobs::sentiment {

using http::Call;
using http::Problem;
using http::Refused;
using http::Response;

namespace {

// Calls that wait for their scores. Each holds at most 256 KiB of texts and their rows.
constexpr FairBudget::Limits kWaiting{.total = 128, .team = 32, .caller = 16};
constexpr int kHighest = 10;
constexpr int kDefaultSeconds = 10;

json spec_of(const json& body) {
    json args = body;
    args.erase("keep");
    args.erase("timeout_seconds");
    return {{"kind", kName}, {"name", "Score"}, {"priority", kHighest}, {"args", std::move(args)}};
}

std::string items_text(std::string_view rows) {
    std::string items(rows.substr(0, rows.size() - (rows.empty() ? 0 : 1)));
    std::ranges::replace(items, '\n', ',');  // inside a row a line break is escaped
    return '[' + items + ']';
}

Problem busy() {
    Problem problem(429, "This user, this team or the server has too many scoring calls waiting.");
    problem.headers.push_back({"Retry-After", "1"});
    return problem;
}

class Scores {
  public:
    explicit Scores(const Services& services)
        : services_(services),
          jobs_(services.stores.jobs, services.stores.signals, services.draining, services.clock) {}

    awaitable<Response> create(const Call& call) {
        const auto place = waiting_.reserve(http::holder_of(call.principal), 1);
        if (!place) throw Refused(busy());
        const auto& kind = *services_.planner.kind(kName);
        const auto spec = spec_of(call.body);
        auto planned =
            co_await services_.planner.plan(call.principal.team.id, {kind, spec.at("args")});
        if (!planned) throw Refused(refused(planned.error()));
        auto job = planning::new_job(call.principal.team.id, call.principal.user.id, kind, spec,
                                     call.request.span.context);
        job.plan = std::move(planned->plan);
        const json used = json::parse(job.plan.args);
        const std::chrono::seconds max(call.body.value("timeout_seconds", kDefaultSeconds));
        const bool keep = call.body.value("keep", false);
        const auto answer = co_await jobs_.run(std::move(job), kind, max, keep);
        if (!keep) co_await jobs_.forget(call.principal.team.id, answer.id, call.principal.user.id);
        co_return http::text_response("application/json", text(answer, used, keep));
    }

  private:
    static Problem refused(const planning::Refusal& refusal) {
        auto problem = http::endpoints::refused(refusal);
        for (auto& error : problem.errors)
            if (error.pointer.starts_with("/args/")) error.pointer.erase(0, 5);
        return problem;
    }

    static std::string text(const http::endpoints::AtOnce& answer, const json& used, bool keep) {
        json head{{"job_id", keep ? json(to_public(answer.id)) : json(nullptr)},
                  {"model", used.value("model", json(nullptr))},
                  {"model_hash", used.value("model_hash", json(nullptr))},
                  {"form", used.value("form", json(nullptr))},
                  {"goal", used.value("goal", json(nullptr))}};
        auto out = head.dump();
        out.back() = ',';
        return out + "\"items\":" + items_text(answer.rows) + '}';
    }

    Services services_;
    http::endpoints::RunAtOnce jobs_;
    FairBudget waiting_{kWaiting};
};

}  // namespace

void add_scores(http::Handlers& handlers, const Services& services) {
    const http::Members on(handlers, std::make_shared<Scores>(services));
    on("createScores", &Scores::create);
}

}  // namespace plimsoll::jobs::sentiment
