// Operations of job kinds that are answered without a job.
#include "server/base/offload.hpp"
#include "server/http/access/holder.hpp"
#include "server/http/endpoints/jobs/item_chunk.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/jobs/kind_offers.hpp"
#include "server/http/messages/limits.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

// An item of a job that the body names.
struct Item {
    std::string args;
    std::string input;
    std::int64_t index = 0;
};

Problem wrong_member(std::string pointer, std::string detail) {
    Problem problem(422, "The body is invalid.");
    problem.errors.push_back({std::move(pointer), {}, std::move(detail)});
    return problem;
}

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

    awaitable<Outcome<Response>> make(const Call& call, std::string_view kind,
                                      const jobs::Answer& answer) {
        const auto place = waiting_.reserve(holder_of(call.principal), 1);
        if (!place)
            co_return tl::unexpected(overloaded("Too many requests of this kind are in progress."));
        std::optional<Item> item;
        if (call.body.contains("job_id")) {
            auto found = co_await item_of(call, kind);
            if (!found) co_return tl::unexpected(std::move(found.error()));
            item = std::move(*found);
        }
        const auto work = [&] {
            if (!item) return answer.make(call.body, nullptr);
            const jobs::JobItem view{item->args, item->input, item->index};
            return answer.make(call.body, &view);
        };
        const auto text = co_await compute(pool_, work);
        if (!text) co_return tl::unexpected(refused_fields(text.error()));
        co_return text_response("application/json", *text);
    }

  private:
    awaitable<Outcome<Item>> item_of(const Call& call, std::string_view kind) {
        const auto id = job_id_of(call.body.at("job_id").get<std::string>());
        if (!id) co_return tl::unexpected(id.error());
        const auto team = call.principal.team.id;
        const auto job = co_await store_.get(team, *id);
        if (!job) co_return tl::unexpected<Problem>(job.error());
        if (job->kind != kind) {
            co_return tl::unexpected(
                wrong_member("/job_id", "must name a job of the kind " + std::string(kind)));
        }
        if (auto final = require_final(*job); !final) co_return tl::unexpected(final.error());
        const std::int64_t index = call.body.value("index", std::int64_t{0});
        const auto chunk = co_await chunk_of_item(store_, team, *id, index);
        if (!chunk && chunk.error().code == Errc::not_found) {
            co_return tl::unexpected(
                wrong_member("/index", "must be the index of one of the job's items"));
        }
        if (!chunk) co_return tl::unexpected<Problem>(chunk.error());
        const auto given = co_await store_.task_input(team, *id, chunk->seq);
        if (!given) co_return tl::unexpected<Problem>(given.error());
        auto input = jobs::cut_slice(given->packed, given->slice);
        if (!input) co_return tl::unexpected<Problem>(input.error());
        co_return Item{job->args, std::move(*input), index};
    }

    queue::JobStore& store_;
    boost::asio::thread_pool& pool_;
    FairBudget waiting_{limits::kComputedAnswers};
};

}  // namespace

void add_kind_answers(Handlers& handlers, queue::JobStore& store, Kinds kinds,
                      boost::asio::thread_pool& pool) {
    const auto answers = std::make_shared<KindAnswers>(store, pool);
    for (const auto& kind : kinds) {
        if (kind.offer == nullptr) continue;
        for (const auto& answer : kind.offer->answers) {
            handlers[std::string(answer.operation)] = [answers, &kind, &answer](const Call& call) {
                return answers->make(call, kind.name, answer);
            };
        }
    }
}

}  // namespace plimsoll::http::endpoints
