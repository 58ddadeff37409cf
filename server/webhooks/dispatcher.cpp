#include "server/webhooks/dispatcher.hpp"

#include "server/base/log.hpp"
#include "server/webhooks/retry.hpp"

#include <list>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::webhooks {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kPace{1};
constexpr std::chrono::minutes kForgetPace{60};
constexpr int kKeepDays = 30;
constexpr std::size_t kAtOnce = 32;  // of a team and of a webhook fewer: see DeliveryQueue::claim
// Longer than an attempt takes with a slow resolver and a slow database.
constexpr std::chrono::seconds kLease{120};

}  // namespace

struct Dispatcher::State : std::enable_shared_from_this<State> {
    State(asio::any_io_executor e, DeliveryQueue& q, Sender s, const Clock& c, Random r)
        : executor(std::move(e)),
          queue(q),
          sender(std::move(s)),
          clock(c),
          random(std::move(r)),
          timer(executor) {}

    awaitable<void> loop() {
        const auto self = shared_from_this();
        while (!stopped) {
            co_await hand_out();
            co_await forget();
            if (stopped) break;
            timer.expires_after(kPace);
            co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
        }
    }

    awaitable<void> hand_out() {
        const auto room = kAtOnce - under_way.size();
        if (room == 0) co_return;
        std::vector<DeliveryId> busy;
        for (const auto& attempt : under_way) busy.push_back(attempt.notice);
        auto due = co_await queue.claim(static_cast<int>(room), kLease, kMostAttempts, busy);
        if (stopped) co_return;
        if (due.has_value() == failing) {  // logged once when it changes, not every second
            failing = !due;
            if (failing) {
                log::warn("notices cannot be read", {{"reason", due.error().message}});
            }
        }
        if (!due) co_return;
        for (auto& notice : *due) begin(std::move(notice));
    }

    void begin(Outgoing notice) {
        const auto mine = under_way.emplace(under_way.end(), notice.id);
        asio::co_spawn(
            executor, deliver(std::move(notice)),
            asio::bind_cancellation_slot(
                mine->cancel.slot(), [self = shared_from_this(), mine](std::exception_ptr) {
                    const bool was_full = self->under_way.size() == kAtOnce;
                    self->under_way.erase(mine);
                    if (was_full) self->timer.cancel();  // there may be more
                }));
    }

    awaitable<void> deliver(Outgoing notice) {
        auto outcome = co_await sender.send(notice, clock.now());
        const bool taken = outcome.error.empty();
        const auto pause = taken ? std::nullopt : pause_after(notice.attempt, random());
        log::write(taken ? log::Level::info : log::Level::warn,
                   taken ? "notice delivered" : "notice not delivered",
                   {{"notice", to_public(notice.id)},
                    {"job", notice.job ? plimsoll::to_public(*notice.job) : ""},
                    {"attempt", std::to_string(notice.attempt)},
                    {"reason", outcome.error}});
        const auto settled =
            co_await queue.settle(notice.id, notice.attempt, std::move(outcome), pause);
        if (!settled) {
            log::warn("a notice's outcome was not recorded: it will be sent again",
                      {{"notice", to_public(notice.id)}, {"reason", settled.error().message}});
        }
    }

    awaitable<void> forget() {
        const auto now = std::chrono::steady_clock::now();
        if (now < forget_at) co_return;
        forget_at = now + kForgetPace;
        if (const auto done = co_await queue.forget(kKeepDays); !done) {
            log::warn("old notices could not be deleted", {{"reason", done.error().message}});
        }
    }

    struct UnderWay {
        explicit UnderWay(DeliveryId id) : notice(id) {}
        DeliveryId notice;
        asio::cancellation_signal cancel;
    };

    asio::any_io_executor executor;
    DeliveryQueue& queue;
    Sender sender;
    const Clock& clock;
    Random random;
    asio::steady_timer timer;
    std::list<UnderWay> under_way;
    std::chrono::steady_clock::time_point forget_at;
    bool failing = false;
    bool stopped = false;
};

Dispatcher::Dispatcher(asio::any_io_executor executor, DeliveryQueue& queue, Sender sender,
                       const Clock& clock, Random random)
    : state_(std::make_shared<State>(std::move(executor), queue, std::move(sender), clock,
                                     std::move(random))) {}

Dispatcher::~Dispatcher() {
    stop();
}

void Dispatcher::start() {
    asio::co_spawn(state_->executor, state_->loop(), asio::detached);
}

void Dispatcher::stop() {
    state_->stopped = true;
    state_->timer.cancel();
    for (auto& one : state_->under_way) one.cancel.emit(asio::cancellation_type::terminal);
}

}  // namespace plimsoll::webhooks
