#pragma once

#include "engine/base/result.hpp"

#include <boost/asio/awaitable.hpp>

// What `serve` does in the background, on the database's own clock. Every call is idempotent and
// does nothing while another server does the same. Implemented by server/postgres.
namespace plimsoll::queue {

class DutyStore {
  public:
    virtual ~DutyStore() = default;

    // Each returns how much it did, so that the caller can go on while there is more.
    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    virtual Answer<int> read_clock() = 0;                    // so that the server's follows it
    virtual Answer<int> expire_leases() = 0;                 // workers that fell silent; one a call
    virtual Answer<int> promote_due() = 0;                   // tasks whose time has come
    virtual Answer<int> renew_quotas() = 0;                  // accounts whose period is over
    virtual Answer<int> end_overdue() = 0;                   // a job past its time; one a call
    virtual Answer<int> ensure_partitions() = 0;             // of today and the days ahead
    virtual Answer<int> drop_old_days(int keep_days) = 0;    // one day a call
    virtual Answer<int> expire_keys() = 0;                   // idempotency keys past their time
    virtual Answer<int> expire_uploads(int idle_hours) = 0;  // that nobody continues
    virtual Answer<int> fold_usage() = 0;                    // what completions touched
    virtual Answer<int> forget_usage(int keep_days) = 0;     // hours long past
    virtual Answer<int> forget_audit(int keep_days) = 0;     // rows of the log long past
    virtual Answer<int> watch_vacuum() = 0;                  // what holds it back, in seconds
    virtual Answer<int> forget_ended(int keep_days) = 0;     // sessions and links long over
};

}  // namespace plimsoll::queue
