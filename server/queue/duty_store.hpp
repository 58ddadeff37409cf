#pragma once

#include "engine/base/result.hpp"

#include <boost/asio/awaitable.hpp>

// Background duties of `serve`, timed by the database's clock. Every call is idempotent and does
// nothing while another server performs the same duty. Implemented by server/postgres.
namespace plimsoll::queue {

class DutyStore {
  public:
    virtual ~DutyStore() = default;

    // Each returns how many items it processed, so that the caller can repeat it while there is
    // more.
    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    virtual Answer<int> read_clock() = 0;  // synchronizes the server's clock with it
    virtual Answer<int>
    expire_leases() = 0;  // of workers whose heartbeats stopped; one worker per call
    virtual Answer<int> promote_due() = 0;    // tasks that are due
    virtual Answer<int> renew_quotas() = 0;   // accounts whose period is over
    virtual Answer<int> mark_unserved() = 0;  // lanes whose models no worker has any more
    virtual Answer<int> end_overdue() = 0;    // a job past its deadline or timeout; one per call
    virtual Answer<int> ensure_partitions() = 0;             // for today and the days ahead
    virtual Answer<int> drop_old_days(int keep_days) = 0;    // one day per call
    virtual Answer<int> expire_keys() = 0;                   // expired idempotency keys
    virtual Answer<int> expire_uploads(int idle_hours) = 0;  // idle uploads
    virtual Answer<int> fold_usage() = 0;                    // counts usage of touched jobs
    virtual Answer<int> forget_usage(int keep_days) = 0;     // old usage rows
    virtual Answer<int> forget_audit(int keep_days) = 0;     // old audit rows
    virtual Answer<int> watch_vacuum() = 0;  // oldest age in seconds of what blocks vacuum
    virtual Answer<int> forget_ended(int keep_days) = 0;  // expired sessions and links
};

}  // namespace plimsoll::queue
