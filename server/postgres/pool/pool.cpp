#include "server/postgres/pool/pool.hpp"

#include "server/base/log.hpp"
#include "server/postgres/driver/sqlstate.hpp"

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::postgres {

namespace {

constexpr const char* kUnreachable = "The database is not reachable.";
constexpr std::chrono::seconds kLackOfSpace{30};
constexpr std::chrono::milliseconds kUntilIdle{20};  // from look to look

}  // namespace

struct Pool::Slot {
    explicit Slot(const asio::any_io_executor& executor) : pause(executor) {}
    std::shared_ptr<Connection> connection;
    asio::steady_timer pause;
    Backoff backoff = reconnect_backoff();
    // Batches in flight when the connection became distrusted; an answer since then restores trust.
    std::size_t doubted = 0;
    bool renews = false;  // replaced as soon as it is idle

    void drop() {
        connection.reset();
        renews = false;
    }

    bool serves() const {
        return connection && !renews && (doubted == 0 || connection->under_way() < doubted);
    }
};

struct Pool::Waiter {
    explicit Waiter(const asio::any_io_executor& executor) : timer(executor) {}
    asio::steady_timer timer;
    bool refused = false;
};

Pool::Pool(asio::any_io_executor executor, Target target, PoolOptions options)
    : executor_(std::move(executor)), target_(std::move(target)), options_(options) {}

Pool::~Pool() { stop(); }

void Pool::start() {
    stopped_ = false;
    for (std::size_t i = 0; i < options_.connections; ++i) {
        slots_.push_back(std::make_unique<Slot>(executor_));
        open(*slots_.back());
    }
}

void Pool::stop() {
    stopped_ = true;
    // A connection still being opened may report after the pool is destroyed.
    alive_ = std::make_shared<Pool*>(this);
    for (auto& slot : slots_) {
        slot->pause.cancel();
        if (slot->connection) slot->connection->close();
    }
    slots_.clear();
    refuse_waiters();
}

bool Pool::is_up() const {
    return std::any_of(slots_.begin(), slots_.end(),
                       [](const auto& slot) { return slot->connection || slot->renews; });
}

PoolLoad Pool::load() const {
    PoolLoad load{.configured = options_.connections, .waiting = waiters_.size()};
    for (const auto& slot : slots_) {
        if (!slot->connection) continue;
        ++load.open;
        load.under_way += slot->connection->under_way();
    }
    return load;
}

awaitable<Result<Replies>> Pool::run(Batch batch, std::chrono::milliseconds timeout) {
    const Deadline deadline = std::chrono::steady_clock::now() + timeout;
    CO_TRY(auto connection, co_await acquire(deadline));
    // A response frees a place for one more caller.
    auto place = std::shared_ptr<void>(nullptr, [weak = std::weak_ptr(alive_)](void*) {
        if (auto pool = weak.lock()) (*pool)->wake(1);
    });
    auto alive = std::weak_ptr(alive_);
    auto replies = co_await connection->run(std::move(batch), deadline);
    if (!replies && replies.error().message == kDiskFull && !alive.expired())
        lacked_space_until_ = std::chrono::steady_clock::now() + kLackOfSpace;
    co_return replies;
}

bool Pool::lacked_space() const { return std::chrono::steady_clock::now() < lacked_space_until_; }

awaitable<Result<Rows>> Pool::run(Statement statement, std::chrono::milliseconds timeout) {
    Batch batch;
    batch.push_back(std::move(statement));
    CO_TRY(auto replies, co_await run(std::move(batch), timeout));
    co_return std::move(replies.front());
}

std::shared_ptr<Connection> Pool::least_busy() const {
    std::shared_ptr<Connection> best;
    for (const auto& slot : slots_) {
        if (slot->serves() && slot->connection->under_way() < options_.depth &&
            (!best || slot->connection->under_way() < best->under_way())) {
            best = slot->connection;
        }
    }
    return best;
}

awaitable<Result<std::shared_ptr<Connection>>> Pool::acquire(Deadline deadline) {
    auto alive = std::weak_ptr(alive_);
    while (true) {
        if (auto connection = least_busy()) co_return connection;
        if (stopped_ || (down_ && !is_up())) co_return fail(unreachable());
        if (waiters_.size() >= options_.waiting)
            co_return fail(Errc::unavailable, "The database is busy.");
        auto waiter = std::make_shared<Waiter>(executor_);
        waiter->timer.expires_at(deadline);
        waiters_.push_back(waiter);
        auto [woken] = co_await waiter->timer.async_wait(asio::as_tuple(asio::use_awaitable));
        if (alive.expired()) co_return fail(Errc::unavailable, kUnreachable);
        if (waiter->refused) co_return fail(unreachable());
        // The waker removes a caller from the list.
        const bool left_alone = std::erase(waiters_, waiter) > 0;
        if (woken && left_alone) co_return fail(Errc::cancelled, "The caller stopped waiting.");
        if (!woken) {
            // Woken at the deadline itself: pass the place to the next caller.
            if (!left_alone) wake(1);
            co_return fail(Errc::timeout, "No database connection became free in time.");
        }
    }
}

Error Pool::unreachable() const {
    return {Errc::unavailable, disk_full_ || cannot_start_ ? kDiskFull : kUnreachable, {}};
}

void Pool::wake(std::size_t count) {
    for (; count > 0 && !waiters_.empty(); --count) {
        waiters_.front()->timer.cancel();
        waiters_.pop_front();
    }
}

void Pool::refuse_waiters() {
    for (auto& waiter : std::exchange(waiters_, {})) {
        waiter->refused = true;
        waiter->timer.cancel();
    }
}

void Pool::open(Slot& slot) {
    const Deadline deadline = std::chrono::steady_clock::now() + options_.connect_timeout;
    asio::co_spawn(
        executor_, connect(target_, deadline),
        [weak = std::weak_ptr(alive_), &slot](std::exception_ptr failure, Result<Handle> handle) {
            auto pool = weak.lock();
            if (!pool) return;
            if (failure) handle = fail(Errc::unavailable, "The connection failed.");
            (*pool)->opened(slot, std::move(handle));
        });
}

void Pool::opened(Slot& slot, Result<Handle> handle) {
    slot.renews = false;
    disk_full_ = !handle && handle.error().message == kDiskFull;
    if (!handle) {
        if (!std::exchange(down_, true))
            log::warn("the database is not reachable", {{"reason", handle.error().message}});
        if (!is_up()) refuse_waiters();
        return after_pause(slot, slot.backoff.next(), &Pool::open);
    }
    if (std::exchange(down_, false)) log::info("the database is reachable again");
    slot.backoff.reset();
    slot.doubted = 0;
    slot.connection = Connection::over(executor_, std::move(*handle),
                                       [this, &slot](const Error& reason) { lost(slot, reason); });
    wake(options_.depth);
    // At other ages than its neighbours, so that one ends at a time.
    const auto place = std::ranges::find(slots_, &slot, &std::unique_ptr<Slot>::get);
    after_pause(slot,
                options_.renew_after * (slots_.size() + (place - slots_.begin())) / slots_.size(),
                &Pool::renew);
}

void Pool::renew(Slot& slot) {
    if (!slot.connection) return;  // lost in the same moment
    slot.renews = true;
    if (slot.connection->under_way() > 0) return after_pause(slot, kUntilIdle, &Pool::renew);
    slot.connection->close();
    slot.connection.reset();
    open(slot);
}

void Pool::lost(Slot& slot, const Error& reason) {
    slot.drop();
    log::warn("a connection to the database broke", {{"reason", reason.message}});
    if (reason.code == Errc::timeout) {
        down_ = true;
        doubt_all();
    }
    after_pause(slot, slot.backoff.next(), &Pool::open);
}

// The cause of one connection's silence may affect all, and the next caller should not have to wait
// for its own deadline to find out.
void Pool::doubt_all() {
    for (auto& slot : slots_) {
        if (!slot->connection) continue;
        slot->doubted = slot->connection->under_way();
        if (slot->doubted > 0) continue;
        slot->connection->close();
        slot->drop();
        after_pause(*slot, slot->backoff.next(), &Pool::open);
    }
}

void Pool::after_pause(Slot& slot, std::chrono::milliseconds pause, void (Pool::*then)(Slot&)) {
    slot.pause.expires_after(pause);
    slot.pause.async_wait(
        [weak = std::weak_ptr(alive_), &slot, then](boost::system::error_code aborted) {
            auto pool = weak.lock();
            if (!aborted && pool) ((*pool)->*then)(slot);
        });
}

}  // namespace plimsoll::postgres
