#pragma once

#include "server/postgres/driver/rows.hpp"
#include "server/queue/shares.hpp"
#include "server/queue/store.hpp"

#include <string_view>

namespace plimsoll::postgres {

queue::Share to_share(const Row& row);
queue::TeamLimit to_team_limit(const Row& row);
queue::Hold to_hold(const Row& row);
queue::ClassOverview to_class_overview(const Row& row);
queue::VacuumHolder to_vacuum_holder(const Row& row);
queue::Usage to_usage(const Row& row);
// From the result of wait: JSON text.
queue::Share share_of_json(std::string_view text);
queue::Hold hold_of_json(std::string_view text);
// From the result of enqueue: JSON text.
queue::OverQuota to_over_quota(std::string_view refusal);

}  // namespace plimsoll::postgres
