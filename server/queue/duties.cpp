#include "server/queue/duties.hpp"

#include "server/base/log.hpp"
#include "server/queue/dataset.hpp"

#include <list>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::queue {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct Duty {
    std::string_view name;
    std::chrono::milliseconds pace;
    // Repeated immediately while it makes progress, so that a backlog is not processed tick by
    // tick.
    bool repeats;
    asio::awaitable<Result<int>> (*run)(DutyStore&, const DutyOptions&);
};

constexpr Duty kDuties[] = {
    {"read_clock", 1min, false,
     [](DutyStore& store, const DutyOptions&) { return store.read_clock(); }},
    // A dead worker's tasks run elsewhere within its lease and this tick.
    {"expire_leases", 1s, true,
     [](DutyStore& store, const DutyOptions&) { return store.expire_leases(); }},
    {"promote_due", 1s, true,
     [](DutyStore& store, const DutyOptions&) { return store.promote_due(); }},
    {"renew_quotas", 1s, true,
     [](DutyStore& store, const DutyOptions&) { return store.renew_quotas(); }},
    {"mark_unserved", 2s, false,
     [](DutyStore& store, const DutyOptions&) { return store.mark_unserved(); }},
    {"end_overdue", 1s, true,
     [](DutyStore& store, const DutyOptions&) { return store.end_overdue(); }},
    // Often, because a machine may have slept longer than the days created ahead.
    {"ensure_partitions", 1min, false,
     [](DutyStore& store, const DutyOptions&) { return store.ensure_partitions(); }},
    {"drop_old_days", 1h, true,
     [](DutyStore& store, const DutyOptions& options) {
         return store.drop_old_days(options.keep_days);
     }},
    {"expire_keys", 1h, true,
     [](DutyStore& store, const DutyOptions&) { return store.expire_keys(); }},
    {"expire_uploads", 10min, true,
     [](DutyStore& store, const DutyOptions&) {
         return store.expire_uploads(static_cast<int>(kIdleUpload.count()));
     }},
    {"fold_usage", 5s, true,
     [](DutyStore& store, const DutyOptions&) { return store.fold_usage(); }},
    {"forget_usage", 1h, false,
     [](DutyStore& store, const DutyOptions& options) {
         return store.forget_usage(options.keep_usage_days);
     }},
    {"forget_audit", 1h, true,
     [](DutyStore& store, const DutyOptions& options) {
         return store.forget_audit(options.keep_audit_days);
     }},
    {"watch_vacuum", 10s, false,
     [](DutyStore& store, const DutyOptions&) { return store.watch_vacuum(); }},
    {"forget_ended", 1h, false,
     [](DutyStore& store, const DutyOptions& options) {
         return store.forget_ended(options.keep_identity_days);
     }},
};

}  // namespace

struct Duties::State : std::enable_shared_from_this<State> {
    State(asio::any_io_executor e, DutyStore& s, DutyOptions o, Observer told)
        : executor(std::move(e)), store(s), options(o), observer(std::move(told)) {}

    asio::awaitable<void> loop(const Duty& duty, asio::steady_timer& timer) {
        const auto self = shared_from_this();
        while (!stopped) {
            auto done = co_await duty.run(store, options);
            if (stopped) break;
            if (!done) {
                log::warn("a duty failed",
                          {{"duty", std::string(duty.name)}, {"reason", done.error().message}});
            }
            if (observer) observer(duty.name, done);
            if (done && *done > 0 && duty.repeats) continue;
            timer.expires_after(duty.pace);
            co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
        }
    }

    asio::any_io_executor executor;
    DutyStore& store;
    DutyOptions options;
    Observer observer;
    std::list<asio::steady_timer> timers;
    bool stopped = false;
};

Duties::Duties(asio::any_io_executor executor, DutyStore& store, DutyOptions options,
               Observer observer)
    : state_(std::make_shared<State>(std::move(executor), store, options, std::move(observer))) {}

Duties::~Duties() {
    stop();
}

void Duties::start() {
    for (const Duty& duty : kDuties) {
        auto& timer = state_->timers.emplace_back(state_->executor);
        asio::co_spawn(state_->executor, state_->loop(duty, timer), asio::detached);
    }
}

void Duties::stop() {
    state_->stopped = true;
    for (auto& timer : state_->timers) timer.cancel();
}

}  // namespace plimsoll::queue
