// What a job would report, computed immediately without one.
#include "server/http/access/holder.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/messages/limits.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

class Estimates {
  public:
    Estimates(const planning::Planner& planner, boost::asio::thread_pool& pool)
        : planner_(planner), pool_(pool) {}

    awaitable<Response> create(const Call& call) {
        const auto place = waiting_.reserve(holder_of(call.principal), 1);
        if (!place) throw Refused(overloaded("Too many estimates are in progress."));
        const auto& name = call.body.at("kind").get_ref<const std::string&>();
        const auto summary = co_await planner_.estimate(
            call.principal.team.id, {*planner_.kind(name), call.body.at("args")}, pool_);
        if (!summary) throw Refused(refused(summary.error()));
        co_return text_response("application/json", "{\"kind\":" + json(name).dump() +
                                                        ",\"summary\":" + *summary + "}");
    }

  private:
    const planning::Planner& planner_;
    boost::asio::thread_pool& pool_;
    FairBudget waiting_{limits::kComputedAnswers};
};

}  // namespace

void add_estimates(Handlers& handlers, const planning::Planner& planner,
                   boost::asio::thread_pool& pool) {
    const Members on(handlers, std::make_shared<Estimates>(planner, pool));
    on("createEstimate", &Estimates::create);
}

}  // namespace plimsoll::http::endpoints
