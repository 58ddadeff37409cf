#include "server/postgres/workers/duties.hpp"

#include "migrations/schema.hpp"
#include "server/base/log.hpp"
#include "server/postgres/pool/contents.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

#include <algorithm>
#include <list>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::postgres {
namespace {

using namespace std::chrono_literals;

// Dropping a day or expiring many keys takes longer than a request may.
constexpr std::chrono::seconds kDutyTimeout{30};

struct Duty {
    std::string_view name;
    std::chrono::milliseconds pace;
    // Repeated immediately while it makes progress, so that a backlog is not processed tick by
    // tick.
    bool repeats = false;
    const Query* query = nullptr;            // none: see State::run
    int DutyOptions::* parameter = nullptr;  // of the query
    bool is_of_all_teams = false;            // then its rows are counted
};

constexpr std::string_view kSweepObjects = "sweep_objects";

constexpr Duty kDuties[] = {
    {kCheckSchema, 1s, false, &sql::duties_schema_version},
    {"read_clock", 1min},
    // One worker whose heartbeats stopped. Its tasks run elsewhere within its lease and this tick.
    {"expire_leases", 1s, true, &sql::duties_expire_leases},
    {"promote_due", 1s, true, &sql::duties_promote_due},       // tasks that are due
    {"renew_quotas", 1s, true, &sql::duties_renew_quotas},     // accounts whose period is over
    {"mark_unserved", 2s, false, &sql::duties_mark_unserved},  // lanes whose models no worker has
    {"end_overdue", 1s, true, &sql::duties_end_overdue},       // one job past deadline or timeout
    // For the days ahead; often, because a machine may have slept longer than those.
    {"ensure_partitions", 1min, false, &sql::duties_ensure_partitions},
    {"drop_old_days", 1h, true, &sql::duties_retention, &DutyOptions::keep_days},  // one day
    {"expire_keys", 1h, true, &sql::duties_expire_keys},  // idempotency keys
    {"expire_uploads", 10min, true, &sql::duties_expire_uploads, &DutyOptions::idle_upload_hours},
    {"fold_usage", 5s, true, &sql::duties_fold_usage},  // counts usage of touched jobs
    {"forget_usage", 1h, false, &sql::duties_forget_usage, &DutyOptions::keep_usage_days},
    {"forget_audit", 1h, true, &sql::duties_forget_audit, &DutyOptions::keep_audit_days},
    {"watch_vacuum", 10s, false, &sql::duties_watch_vacuum},  // oldest age in s of what blocks it
    // Expired sessions and links.
    {"forget_ended", 1h, false, &sql::identity_forget_ended, &DutyOptions::keep_identity_days,
     true},
    {kSweepObjects, 6h},  // objects that no row names
};

}  // namespace

Result<int> known_schema(const Rows& reply) {
    const auto theirs = reply[0].get<int>("done");
    const auto known = static_cast<int>(migrations::kSchema.versions.size());
    // A release keeps what programs of the one before it call: they go on until they are replaced.
    const bool is_next_release = reply[0].get<int>("function_set") == migrations::kSchema.set + 1;
    if (theirs == known || (theirs > known && is_next_release)) return theirs;
    return fail(theirs > known ? Errc::corrupt : Errc::unavailable,
                "The database's schema is version " + std::to_string(theirs) +
                    ", but this program's is version " + std::to_string(known) + ".");
}

struct Duties::State : std::enable_shared_from_this<State> {
    State(asio::any_io_executor e, Pool& p, DatabaseClock& c, outbound::ObjectStore* o)
        : executor(std::move(e)), pool(p), clock(c), objects(o) {}

    awaitable<Result<int>> run(const Duty& duty, const DutyOptions& with) {
        if (duty.name == kSweepObjects) {
            if (objects == nullptr) co_return 0;
            CO_TRY(const int removed, co_await sweep_objects(*objects, pool, clock.now()));
            log::info("objects collected", {{"objects", std::to_string(removed)}});
            co_return removed;
        }
        if (duty.query == nullptr) co_return co_await clock.read();
        Batch batch;
        if (duty.is_of_all_teams) batch.push_back(across_teams());
        batch.push_back({*duty.query, {}});
        if (duty.parameter != nullptr) batch.back().params.emplace_back(with.*duty.parameter);
        CO_TRY(auto replies, co_await pool.run(std::move(batch), kDutyTimeout));
        const auto& rows = replies.back();
        if (duty.is_of_all_teams) co_return static_cast<int>(rows.affected());
        if (duty.name == kCheckSchema) co_return known_schema(rows);
        co_return rows[0].get<int>("done");
    }

    awaitable<void> loop(const Duty& duty, asio::steady_timer& timer) {
        const auto self = shared_from_this();
        while (!stopped) {
            auto done = co_await run(duty, options);
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
    Pool& pool;
    DatabaseClock& clock;
    outbound::ObjectStore* objects;
    DutyOptions options = {};
    Observer observer = {};
    std::list<asio::steady_timer> timers = {};
    bool stopped = false;
};

Duties::Duties(asio::any_io_executor executor, Pool& pool, DatabaseClock& clock,
               outbound::ObjectStore* objects)
    : state_(std::make_shared<State>(std::move(executor), pool, clock, objects)) {}

Duties::~Duties() { stop(); }

awaitable<Result<int>> Duties::run(std::string_view name, DutyOptions options) {
    const auto* const duty = std::ranges::find(kDuties, name, &Duty::name);
    co_return co_await state_->run(*duty, options);
}

void Duties::start(DutyOptions options, Observer observer) {
    state_->options = options;
    state_->observer = std::move(observer);
    for (const Duty& duty : kDuties) {
        auto& timer = state_->timers.emplace_back(state_->executor);
        asio::co_spawn(state_->executor, state_->loop(duty, timer), asio::detached);
    }
}

void Duties::stop() {
    state_->stopped = true;
    for (auto& timer : state_->timers) timer.cancel();
}

}  // namespace plimsoll::postgres
