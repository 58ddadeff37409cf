// What a job would report, computed immediately without one.
#include "server/base/offload.hpp"
#include "server/http/access/holder.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/messages/limits.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

class Estimates {
  public:
    Estimates(Kinds kinds, planning::ArgumentCompletion completion, boost::asio::thread_pool& pool)
        : kinds_(kinds), completion_(completion), pool_(pool) {}

    awaitable<Outcome<Response>> create(const Call& call) {
        const auto place = waiting_.reserve(holder_of(call.principal), 1);
        if (!place) co_return tl::unexpected(overloaded("Too many estimates are in progress."));
        const auto& name = call.body.at("kind").get_ref<const std::string&>();
        const auto kind = std::ranges::find(kinds_, name, &jobs::Contract::name);
        auto args = call.body.at("args");
        if (kind->complete != nullptr) {
            auto completed = co_await completion_.complete(call.principal.team.id, *kind, args);
            if (!completed) co_return tl::unexpected(refused(completed.error()));
            args = std::move(*completed);
        }
        const auto work = [kind, &args] { return kind->estimate(args); };
        const auto summary = co_await compute(pool_, work);
        if (!summary) co_return tl::unexpected(refused_args(summary.error()));
        co_return text_response("application/json", "{\"kind\":" + json(name).dump() +
                                                        ",\"summary\":" + *summary + "}");
    }

  private:
    Kinds kinds_;
    planning::ArgumentCompletion completion_;
    boost::asio::thread_pool& pool_;
    FairBudget waiting_{limits::kComputedAnswers};
};

}  // namespace

void add_estimates(Handlers& handlers, Kinds kinds, planning::ArgumentCompletion completion,
                   boost::asio::thread_pool& pool) {
    const auto estimates = std::make_shared<Estimates>(kinds, completion, pool);
    handlers["createEstimate"] = [estimates](const Call& call) { return estimates->create(call); };
}

}  // namespace plimsoll::http::endpoints
