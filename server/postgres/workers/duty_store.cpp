#include "server/postgres/workers/duty_store.hpp"

#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {
namespace {

// Dropping a day or expiring many keys takes longer than a request may.
constexpr std::chrono::seconds kDutyTimeout{30};

asio::awaitable<Result<int>> run(Pool& pool, Statement statement) {
    auto rows = co_await pool.run(std::move(statement), kDutyTimeout);
    if (!rows) co_return fail(std::move(rows.error()));
    co_return (*rows)[0].get<int>("done");
}

}  // namespace

asio::awaitable<Result<int>> DutyStore::expire_leases() {
    return run(pool_, Statement::of(sql::duties_expire_leases));
}

asio::awaitable<Result<int>> DutyStore::promote_due() {
    return run(pool_, Statement::of(sql::duties_promote_due));
}

asio::awaitable<Result<int>> DutyStore::renew_quotas() {
    return run(pool_, Statement::of(sql::duties_renew_quotas));
}

asio::awaitable<Result<int>> DutyStore::mark_unserved() {
    return run(pool_, Statement::of(sql::duties_mark_unserved));
}

asio::awaitable<Result<int>> DutyStore::end_overdue() {
    return run(pool_, Statement::of(sql::duties_end_overdue));
}

asio::awaitable<Result<int>> DutyStore::ensure_partitions() {
    return run(pool_, Statement::of(sql::duties_ensure_partitions));
}

asio::awaitable<Result<int>> DutyStore::drop_old_days(int keep_days) {
    return run(pool_, Statement::of(sql::duties_retention, keep_days));
}

asio::awaitable<Result<int>> DutyStore::expire_keys() {
    return run(pool_, Statement::of(sql::duties_expire_keys));
}

asio::awaitable<Result<int>> DutyStore::fold_usage() {
    return run(pool_, Statement::of(sql::duties_fold_usage));
}

asio::awaitable<Result<int>> DutyStore::forget_usage(int keep_days) {
    return run(pool_, Statement::of(sql::duties_forget_usage, keep_days));
}

asio::awaitable<Result<int>> DutyStore::forget_audit(int keep_days) {
    return run(pool_, Statement::of(sql::duties_forget_audit, keep_days));
}

asio::awaitable<Result<int>> DutyStore::watch_vacuum() {
    return run(pool_, Statement::of(sql::duties_watch_vacuum));
}

asio::awaitable<Result<int>> DutyStore::expire_uploads(int idle_hours) {
    return run(pool_, Statement::of(sql::duties_expire_uploads, idle_hours));
}

asio::awaitable<Result<int>> DutyStore::forget_ended(int keep_days) {
    Batch batch;
    batch.push_back(across_teams());
    batch.push_back(Statement::of(sql::identity_forget_ended, keep_days));
    auto replies = co_await pool_.run(std::move(batch), kDutyTimeout);
    if (!replies) co_return fail(std::move(replies.error()));
    co_return static_cast<int>(replies->back().affected());
}

}  // namespace plimsoll::postgres
