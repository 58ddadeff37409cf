#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::postgres {

namespace asio = boost::asio;

// Limits on calls per round and on waiting calls. Derived classes define a call's weight.
struct RoundLimits {
    std::size_t calls;
    std::size_t weight;  // a single call may weigh more
    std::size_t waiting_calls;
    std::size_t waiting_weight;
    std::chrono::milliseconds patience;
    // Answered callers often call again immediately: after a round of many calls, the next one
    // waits for as many, at most this long. 0: no wait.
    std::chrono::milliseconds gather{0};
};

// Batches concurrent calls: those that arrive during a round share the next one, so many callers
// need one round trip. A lone call starts a round immediately. No call joins a round that has
// begun, so it never reads data older than the call. Must be owned by a shared_ptr; not
// thread-safe, like the pool.
template <class Asked, class Answer>
class Rounds : public std::enable_shared_from_this<Rounds<Asked, Answer>> {
  public:
    virtual ~Rounds() = default;

    // Errc::unavailable: too many calls wait, or no round began in time; Errc::timeout: a round
    // began, and its outcome is unknown.
    awaitable<Result<Answer>> ask(Asked asked) {
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
        if (!std::exchange(busy_, true)) asio::co_spawn(executor_, run_all(self), asio::detached);
        // A round that fails without a wait has ended by now, and nothing would end the wait for
        // it.
        if (!call->answer) co_await call->done.async_wait(asio::as_tuple(asio::use_awaitable));
        if (call->answer) co_return std::move(*call->answer);
        if (std::erase(waiting_, call) > 0) {
            waiting_weight_ -= call->weight;
            co_return fail(Errc::unavailable, "The database is too busy.");
        }
        co_return fail(Errc::timeout, "The database did not respond in time.");
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
    // Must answer every call of the round.
    virtual awaitable<void> run(Round round) = 0;

    static void answer(Call& call, Result<Answer> with) {
        call.answer = std::move(with);
        call.done.cancel();
    }

  private:
    static awaitable<void> run_all(std::shared_ptr<Rounds> self) {
        while (!self->waiting_.empty()) {
            const auto round = self->next_round();
            try {
                co_await self->run(round);
            } catch (const std::exception&
                         mistake) {  // a bug: fail the callers instead of leaving them waiting
                for (const auto& call : round) answer(*call, fail(Errc::internal, mistake.what()));
            }
            // Let answered and newly arrived callers run first, so that rounds are few and full
            // rather than many and small.
            co_await asio::post(asio::use_awaitable);
            co_await self->gather(round.size());
        }
        self->busy_ = false;
    }

    awaitable<void> gather(std::size_t calls) {
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
    // How many calls the next round waits for, if any.
    std::size_t expected_ = std::numeric_limits<std::size_t>::max();
    asio::steady_timer gathering_;
};

}  // namespace plimsoll::postgres
