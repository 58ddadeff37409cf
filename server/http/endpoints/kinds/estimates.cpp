// What a job would report, computed immediately without one.
#include "server/base/offload.hpp"
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
        const auto& kind = *planner_.kind(name);
        const json& given = call.body.at("args");
        const auto completed = co_await planner_.complete(call.principal.team.id, {kind, given});
        if (!completed) throw Refused(refused(completed.error()));
        const auto work = [&] { return kind.estimate(*completed ? **completed : given); };
        const auto summary = co_await compute(pool_, work);
        if (!summary) throw Refused(refused_args(summary.error()));
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
