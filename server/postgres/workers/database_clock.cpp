#include "server/postgres/workers/database_clock.hpp"

#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr std::chrono::seconds kClockTimeout{5};
// A reading with a longer round trip is too imprecise, unless it is the first.
constexpr std::chrono::seconds kLongest{1};

microseconds steady_now() {
    return std::chrono::duration_cast<microseconds>(Steady::now().time_since_epoch());
}

}  // namespace

Timestamp DatabaseClock::now() const {
    const auto zero = zero_.load();
    if (zero == 0) return SystemClock().now();
    return Timestamp(microseconds(zero) + steady_now());
}

awaitable<Result<int>> DatabaseClock::read() {
    const auto asked = steady_now();
    CO_TRY(auto rows, co_await pool_.run(Statement::of(sql::duties_read_clock), kClockTimeout));
    const auto answered = steady_now();
    if (zero_.load() != 0 && answered - asked > kLongest) co_return 0;
    const auto now = rows[0].get<Timestamp>("now").time_since_epoch();
    zero_ = (now - (asked + answered) / 2).count();
    co_return 1;
}

}  // namespace plimsoll::postgres
