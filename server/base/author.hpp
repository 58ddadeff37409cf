#pragma once

#include "server/base/id.hpp"

#include <string>

namespace plimsoll {

// Who makes a change, for its audit row.
struct Author {
    TeamId team;  // 0: the installation's own commands
    UserId user;
    std::string request_id;  // as in the log; empty outside a request
};

}  // namespace plimsoll
