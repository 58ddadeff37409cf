#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/postgres/workers/database_clock.hpp"
#include "server/queue/dataset.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace plimsoll::outbound {
class ObjectStore;
}  // namespace plimsoll::outbound

namespace plimsoll::postgres {

struct DutyOptions {
    int keep_days = 30;         // jobs, with their texts and results
    int keep_usage_days = 400;  // a year, and the month before
    int keep_audit_days = 400;
    int keep_identity_days = 30;  // sessions and links after their end
    int idle_upload_hours = static_cast<int>(queue::kIdleUpload.count());
};

// What duties.schema_version replied. Errc::corrupt: of a later release than the next (not
// `forbidden`, which is what a role gets while a dump is restored); Errc::unavailable: older.
Result<int> known_schema(const Rows& reply);

constexpr std::string_view kCheckSchema = "check_schema";  // by known_schema

// The background duties of `serve`, timed by the database's clock. Every one is idempotent and does
// nothing while another server performs it, so any number of servers may run them. Single-threaded,
// on the executor.
class Duties {
  public:
    // Called after every run of a duty, for tests and metrics.
    using Observer = std::function<void(std::string_view duty, const Result<int>& done)>;

    // `pool` has the role plimsoll_app and outlives this, like `clock`. It should not be the one
    // that answers requests: a duty may take seconds. `objects`: nullptr if there is no object
    // store.
    Duties(asio::any_io_executor executor, Pool& pool, DatabaseClock& clock,
           outbound::ObjectStore* objects = nullptr);
    ~Duties();

    // Runs one once. Returns how many items it processed, so that the caller can repeat it while
    // there is more.
    awaitable<Result<int>> run(std::string_view name, DutyOptions options = {});

    // Runs each at its own interval; a failed one is retried at its next tick.
    void start(DutyOptions options, Observer observer = {});
    void stop();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace plimsoll::postgres
