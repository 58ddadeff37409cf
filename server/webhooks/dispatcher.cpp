#include "server/webhooks/dispatcher.hpp"

#include "server/base/log.hpp"
#include "server/webhooks/signature.hpp"
#include "server/webhooks/webhook.hpp"

#include <list>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http.hpp>

namespace plimsoll::webhooks {

namespace asio = boost::asio;

namespace wire = boost::beast::http;
using outbound::Caller;

namespace {

// More than a team's attempts: names whose servers are silent take seconds each.
constexpr std::size_t kLookups = 12;

std::string why(const Caller::Failure& failure) {
    switch (failure.obstacle) {
        case Caller::Obstacle::origin:
            return "The operator has not allowed notices to this origin.";
        case Caller::Obstacle::address:
            return "The receiver's host name resolves to an address that is not allowed.";
        case Caller::Obstacle::name:
            return "The receiver's host name cannot be resolved: " + failure.reason + ".";
        case Caller::Obstacle::time:
            return "The receiver did not respond within " +
                   std::to_string(Caller::kTime / std::chrono::seconds(1)) + " s.";
        case Caller::Obstacle::size:
        case Caller::Obstacle::exchange: break;
    }
    return "The receiver could not be reached: " + failure.reason + ".";
}

Attempted failed(const Caller::Failure& failure) {
    return {.status = std::nullopt, .error = why(failure)};
}

outbound::Request request_of(const Outgoing& notice, const outbound::Target& target,
                             const std::string& pages, Timestamp now) {
    const auto id = to_public(notice.id);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    const auto timestamp = std::to_string(seconds);
    outbound::Request message(wire::verb::post, target.path, 11);
    message.body() = body_of(notice, pages);
    message.set(wire::field::user_agent, "Plimsoll-Webhooks/1");
    message.set(wire::field::content_type, "application/json");
    message.set("webhook-id", id);
    message.set("webhook-timestamp", timestamp);
    message.set("webhook-signature", signature(notice.secret, id, timestamp, message.body()));
    message.prepare_payload();
    return message;
}

Attempted judged(int status) {
    Attempted attempted{.status = status, .error = {}};
    if (status >= 200 && status < 300) return attempted;
    attempted.error = "The receiver responded with " + std::to_string(status);
    attempted.error += status >= 300 && status < 400 ? "; redirects are not followed." : ".";
    return attempted;
}

}  // namespace

Sender::Sender(Outlets outlets, Caller caller, std::unique_ptr<asio::ssl::context> tls)
    : outlets_(std::move(outlets)), caller_(std::move(caller)), tls_(std::move(tls)) {}
Sender::Sender(Sender&&) noexcept = default;
Sender::~Sender() = default;

Result<Sender> Sender::make(Outlets outlets) {
    TRY(auto tls, outbound::verifying_context(outlets.authorities));
    TRY(auto for_mail, outbound::verifying_context(outlets.authorities));
    auto allowed = outlets.allowed;
    return Sender(std::move(outlets), Caller(std::move(allowed), std::move(tls), kLookups),
                  std::move(for_mail));
}

awaitable<Attempted> Sender::send(const Outgoing& notice, Timestamp now) {
    if (const auto to = outbound::parse_mail_target(notice.url)) {
        if (!outlets_.allowed.allows_mail(*to)) co_return failed({Caller::Obstacle::origin, {}});
        co_return co_await send_mail(outlets_.mail, *tls_, *to, notice,
                                     message_of(notice, outlets_.pages));
    }
    auto target = outbound::parse_target(notice.url);
    if (!target) co_return failed({Caller::Obstacle::origin, {}});
    auto message = request_of(notice, *target, outlets_.pages, now);
    // A connection or protocol failure is an outcome of the attempt, not an internal error.
    const auto status = co_await caller_.send(std::move(*target), std::move(message));
    co_return status ? judged(*status) : failed(status.error());
}

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
        auto due = co_await queue.claim(static_cast<int>(room), kLease, kMaxAttempts, busy);
        if (stopped) co_return;
        if (due.has_value() == failing) {  // logged once when it changes, not every second
            failing = !due;
            if (failing) log::warn("notices cannot be read", {{"reason", due.error().message}});
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
        if (const auto done = co_await queue.forget(kKeepDays); !done)
            log::warn("old notices could not be deleted", {{"reason", done.error().message}});
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

Dispatcher::~Dispatcher() { stop(); }

void Dispatcher::start() { asio::co_spawn(state_->executor, state_->loop(), asio::detached); }

void Dispatcher::stop() {
    state_->stopped = true;
    state_->timer.cancel();
    for (auto& one : state_->under_way) one.cancel.emit(asio::cancellation_type::terminal);
}

}  // namespace plimsoll::webhooks
