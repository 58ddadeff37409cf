#pragma once

#include "engine/market/calendar.hpp"

namespace plimsoll::market {

// The New York Stock Exchange, 1990 to 2040: pre-market from 04:00, trading 09:30 to 16:00, after
// hours to 20:00, or to 17:00 on days with an early close. Fails if the machine lacks
// America/New_York.
Result<Calendar> nyse();

}  // namespace plimsoll::market
