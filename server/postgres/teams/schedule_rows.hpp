#pragma once

#include "server/postgres/driver/statement.hpp"
#include "server/schedules/store.hpp"

// Conversions between rows of queries/schedules.sql and the types of server/schedules.
namespace plimsoll::postgres {

schedules::Schedule to_schedule(const Row& row);
schedules::Run to_run(const Row& row);
schedules::Claimed to_claimed(const Row& row);
schedules::Answered to_answered(const Row& row);

Statement answering(const schedules::Answer& answer);

}  // namespace plimsoll::postgres
