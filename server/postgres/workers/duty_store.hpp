#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/postgres/workers/database_clock.hpp"
#include "server/queue/duty_store.hpp"

namespace plimsoll::postgres {

class DutyStore final : public queue::DutyStore {
  public:
    // `pool` has the role plimsoll_app and outlives this, like `clock`. It should not be the one
    // that answers requests: a duty may take seconds.
    DutyStore(Pool& pool, DatabaseClock& clock) : pool_(pool), clock_(clock) {}

    Answer<int> read_clock() override { return clock_.read(); }
    Answer<int> expire_leases() override;
    Answer<int> promote_due() override;
    Answer<int> renew_quotas() override;
    Answer<int> mark_unserved() override;
    Answer<int> end_overdue() override;
    Answer<int> ensure_partitions() override;
    Answer<int> drop_old_days(int keep_days) override;
    Answer<int> expire_keys() override;
    Answer<int> expire_uploads(int idle_hours) override;
    Answer<int> fold_usage() override;
    Answer<int> forget_usage(int keep_days) override;
    Answer<int> forget_audit(int keep_days) override;
    Answer<int> watch_vacuum() override;
    Answer<int> forget_ended(int keep_days) override;

  private:
    Pool& pool_;
    DatabaseClock& clock_;
};

}  // namespace plimsoll::postgres
