#pragma once

#include "engine/base/result.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::postgres {

namespace asio = boost::asio;

// Of calls that share a round, and of those that wait for one. A call's weight is what its class
// says.
struct RoundLimits {
    std::size_t calls;
    std::size_t weight;  // a single call may weigh more
    std::size_t waiting_calls;
    std::size_t waiting_weight;
    std::chrono::milliseconds patience;
    // Callers come again when they are answered: the round after one of many calls waits for as
    // many, though not for longer than this. 0: it does not wait.
    std::chrono::milliseconds gather{0};
};

// Calls that come while a round is under way share the next one: many callers, one round trip.
// Alone, a call is a round at once. No call joins a round that has begun, so
// what it reads is never older than the call itself. Lives in a shared_ptr; not thread-safe, like
// the pool.
template <class Asked, class Answer>
class Rounds : public std::enable_shared_from_this<Rounds<Asked, Answer>> {
  public:
    virtual ~Rounds() = default;

    // Errc::unavailable: too much waits, or no round began in time; Errc::timeout: a round did, and
    // what became of it is unknown.
    asio::awaitable<Result<Answer>> ask(Asked asked) {
        const auto self = this->shared_from_this();
        const auto call = std::make_shared<Call>(executor_, std::move(asked), 0);
        call->weight = weigh(call->asked);
        if (waiting_.size() >= limits_.waiting_calls ||
            waiting_weight_ + call->weight > limits_.waiting_weight) {
            co_return fail(Errc::unavailable, "The server is too busy.");
        }
        waiting_.push_back(call);
        waiting_weight_ += call->weight;
        if (waiting_.size() >= expected_) gathering_.cancel();
        call->done.expires_after(limits_.patience);
        if (!std::exchange(busy_, true)) {
            asio::co_spawn(executor_, run_all(self), asio::detached);
        }
        co_await call->done.async_wait(asio::as_tuple(asio::use_awaitable));
        if (call->answer) co_return std::move(*call->answer);
        if (std::erase(waiting_, call) > 0) {
            waiting_weight_ -= call->weight;
            co_return fail(Errc::unavailable, "The database is too busy.");
        }
        co_return fail(Errc::timeout, "The database did not answer in time.");
    }

  protected:
    struct Call {
        Call(const asio::any_io_executor& executor, Asked what, std::size_t heavy)
            : asked(std::move(what)), weight(heavy), done(executor) {}
        Asked asked;
        std::size_t weight;
        std::optional<Result<Answer>> answer;
        asio::steady_timer done;
    };
    using Round = std::vector<std::shared_ptr<Call>>;

    Rounds(asio::any_io_executor executor, RoundLimits limits)
        : executor_(std::move(executor)), limits_(limits), gathering_(executor_) {}

    virtual std::size_t weigh(const Asked& asked) const = 0;
    // Answers every call of the round.
    virtual asio::awaitable<void> run(Round round) = 0;

    static void answer(Call& call, Result<Answer> with) {
        call.answer = std::move(with);
        call.done.cancel();
    }

  private:
    static asio::awaitable<void> run_all(std::shared_ptr<Rounds> self) {
        while (!self->waiting_.empty()) {
            const auto round = self->next_round();
            try {
                co_await self->run(round);
            } catch (const std::exception& mistake) {  // ours: nobody shall wait for its end
                for (const auto& call : round) answer(*call, fail(Errc::internal, mistake.what()));
            }
            // Who is answered now, and who came in the meantime, goes first: rounds are few and
            // full where they would otherwise be many and small.
            co_await asio::post(asio::use_awaitable);
            co_await self->gather(round.size());
        }
        self->busy_ = false;
    }

    asio::awaitable<void> gather(std::size_t calls) {
        if (calls == 1 || waiting_.size() >= calls || limits_.gather.count() == 0) co_return;
        expected_ = calls;
        gathering_.expires_after(limits_.gather);
        co_await gathering_.async_wait(asio::as_tuple(asio::use_awaitable));
        expected_ = std::numeric_limits<std::size_t>::max();
    }

    Round next_round() {
        Round round;
        std::size_t weight = 0;
        while (!waiting_.empty() && round.size() < limits_.calls) {
            const auto& next = waiting_.front();
            weight += next->weight;
            if (!round.empty() && weight > limits_.weight) break;
            waiting_weight_ -= next->weight;
            round.push_back(next);
            waiting_.pop_front();
        }
        return round;
    }

    asio::any_io_executor executor_;
    RoundLimits limits_;
    std::deque<std::shared_ptr<Call>> waiting_;
    std::size_t waiting_weight_ = 0;
    bool busy_ = false;
    // How many calls the next round waits for, while it does.
    std::size_t expected_ = std::numeric_limits<std::size_t>::max();
    asio::steady_timer gathering_;
};

}  // namespace plimsoll::postgres
