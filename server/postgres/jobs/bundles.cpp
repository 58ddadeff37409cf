#include "server/postgres/jobs/bundles.hpp"

#include "server/postgres/jobs/enqueue.hpp"
#include "server/postgres/jobs/group_commit.hpp"
#include "server/postgres/jobs/share_rows.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace plimsoll::postgres {
namespace {

using nlohmann::json;
using Jobs = std::vector<const queue::NewJob*>;

// Thousands of jobs in a statement take longer than a call may.
constexpr std::chrono::seconds kBundleTimeout{30};
constexpr std::size_t kJobsPerStatement = 500;

Jobs pointers(const std::vector<queue::NewJob>& jobs) {
    Jobs all;
    all.reserve(jobs.size());
    for (const auto& job : jobs) all.push_back(&job);
    return all;
}

// For a bundle that was not stored: the failing jobs, and the others.
Stored conflicts(std::size_t jobs, const std::string& list) {
    Stored answers(jobs, fail(Errc::cancelled,
                              "Not stored, because another job of the bundle cannot be stored."));
    for (const auto& conflict : json::parse(list)) {
        auto& answer = answers.at(conflict.at("ord").get<std::size_t>() - 1);
        if (conflict.at("outcome") == "unique_conflict") {
            const auto holder = std::stoll(conflict.at("job_id").get<std::string>());
            answer = queue::Submitted{JobId{holder}, false, true};
        } else if (conflict.at("outcome") == "over_quota") {
            answer =
                queue::Submitted{{}, false, false, to_over_quota(conflict.at("refusal").dump())};
        } else {
            answer = fail(idempotency_mismatch());
        }
    }
    return answers;
}

}  // namespace

asio::awaitable<Result<Stored>> store_whole(Pool& pool, std::vector<queue::NewJob> jobs) {
    const auto all = pointers(jobs);
    auto replies = co_await pool.run(enqueue(all, true), kBundleTimeout);
    if (!replies && replies.error().code == Errc::conflict && !replies.error().where.empty()) {
        co_return conflicts(jobs.size(), replies.error().where);
    }
    if (!replies) co_return fail(std::move(replies.error()));
    Stored answers;
    for (const Row row : replies->back()) answers.push_back(to_submitted(row));
    co_return answers;
}

asio::awaitable<Stored> store_each(Pool& pool, std::vector<queue::NewJob> jobs) {
    const auto all = pointers(jobs);
    Stored answers;
    for (std::size_t first = 0, step = kJobsPerStatement; first < all.size();) {
        const auto count = std::min(step, all.size() - first);
        const auto replies =
            co_await pool.run(enqueue(std::span(all).subspan(first, count)), kBundleTimeout);
        if (!replies && count > 1 && may_be_one_jobs_fault(replies.error().code)) {
            step = 1;  // only the failing job is refused
            continue;
        }
        if (replies) {
            for (const Row row : replies->back()) answers.push_back(to_submitted(row));
        } else {
            answers.insert(answers.end(), count, fail(replies.error()));
        }
        first += count;
        if (first % kJobsPerStatement == 0) step = kJobsPerStatement;
    }
    co_return answers;
}

}  // namespace plimsoll::postgres
