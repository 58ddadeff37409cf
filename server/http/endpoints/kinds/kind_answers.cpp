// Operations of job kinds that are answered without a job.
//
// What a job would report, computed immediately without one.
#include "engine/base/json.hpp"
#include "server/base/offload.hpp"
#include "server/http/access/caller_limits.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/item_chunk.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/endpoints/jobs/kind_extras.hpp"
#include "server/http/messages/limits.hpp"

namespace plimsoll::http::endpoints {

namespace {

// An item of a job that the body names.
struct Item {
    std::string args;
    std::string input;
    std::int64_t index = 0;
};

Problem refused_fields(const jobs::FieldErrors& errors) {
    Problem problem(422, "The body is invalid.");
    for (const auto& error : errors) {
        if (problem.errors.size() == limits::kFieldErrors) break;
        problem.errors.push_back({error.pointer, {}, error.message});
    }
    return problem;
}

class KindAnswers {
  public:
    KindAnswers(queue::JobStore& store, boost::asio::thread_pool& pool)
        : store_(store), pool_(pool) {}

    awaitable<Response> make(const Call& call, std::string_view kind, const jobs::Answer& answer) {
        const auto place = waiting_.reserve(holder_of(call.principal), 1);
        if (!place) throw Refused(overloaded("Too many requests of this kind are in progress."));
        std::optional<Item> item;
        if (call.body.contains("job_id")) item = co_await item_of(call, kind);
        const auto work = [&] {
            if (!item) return answer.make(call.body, nullptr);
            const jobs::JobItem view{item->args, item->input, item->index};
            return answer.make(call.body, &view);
        };
        const auto text = co_await compute(pool_, work);
        if (!text) throw Refused(refused_fields(text.error()));
        co_return text_response("application/json", *text);
    }

  private:
    awaitable<Item> item_of(const Call& call, std::string_view kind) {
        const auto id = job_id_of(call.body.at("job_id").get<std::string>());
        const auto team = call.principal.team.id;
        const auto job = need(co_await store_.get(team, id));
        if (job.kind != kind) {
            throw Refused(
                invalid_member("/job_id", "must name a job of the kind " + std::string(kind)));
        }
        require_final(job);
        const std::int64_t index = call.body.value("index", std::int64_t{0});
        const auto chunk = co_await chunk_of_item(store_, team, id, index);
        if (!chunk && chunk.error().code == Errc::not_found)
            throw Refused(invalid_member("/index", "must be the index of one of the job's items"));
        if (!chunk) throw Refused(chunk.error());
        const auto given = need(co_await store_.task_input(team, id, chunk->seq));
        auto input = need(jobs::cut_slice(given.packed, given.slice));
        co_return Item{job.args, std::move(input), index};
    }

    queue::JobStore& store_;
    boost::asio::thread_pool& pool_;
    FairBudget waiting_{limits::kComputedAnswers};
};

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

void add_kind_answers(Handlers& handlers, queue::JobStore& store, Kinds kinds,
                      boost::asio::thread_pool& pool) {
    const auto answers = std::make_shared<KindAnswers>(store, pool);
    for (const auto& kind : kinds) {
        if (kind.extras == nullptr) continue;
        for (const auto& answer : kind.extras->answers) {
            handlers[std::string(answer.operation)] = [answers, &kind, &answer](const Call& call) {
                return answers->make(call, kind.name, answer);
            };
        }
    }
}

void add_estimates(Handlers& handlers, const planning::Planner& planner,
                   boost::asio::thread_pool& pool) {
    const Members on(handlers, std::make_shared<Estimates>(planner, pool));
    on("createEstimate", &Estimates::create);
}

}  // namespace plimsoll::http::endpoints
