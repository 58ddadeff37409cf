#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/awaitable.hpp"
#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <optional>
#include <string>
#include <vector>

// The audit log: what was changed, by whom and when. The stores write it in the transaction of the
// change. Implemented by server/postgres.
namespace plimsoll::identity {

using AuditEventId = Id<struct AuditEventTag>;

inline std::string to_public(AuditEventId id) { return public_id("audit", id.value); }

struct AuditEvent {
    AuditEventId id;
    std::optional<TeamId> team;  // nullopt: of the installation
    std::string team_name;       // of lists across teams
    std::optional<UserId> user;
    std::string user_name;  // empty: not a user of the team, or no longer
    Timestamp at;
    std::string action;  // "token.create"
    std::string target;  // as stored: the number of an id, or a name
    std::string request_id;
    std::string address;  // the client's address, if stored
    std::string data;     // JSON text
};

// Empty members do not restrict the list.
struct AuditQuery {
    std::optional<TeamId> team = {};  // nullopt: everything of the installation
    std::optional<AuditEventId> before = {};
    int limit = 0;
    std::string action = {};              // or its noun: "token"
    std::vector<std::string> nouns = {};  // only their actions
    std::optional<UserId> user = {};
    std::string target = {};  // as stored
    std::optional<Timestamp> from = {};
    std::optional<Timestamp> until = {};  // exclusive
};

class AuditStore {
  public:
    virtual ~AuditStore() = default;

    // Newest first.
    virtual awaitable<Result<std::vector<AuditEvent>>> list(AuditQuery query) = 0;
    // For a change outside the database: recorded before it is made. `data`: a JSON object.
    virtual awaitable<Result<void>> record(Author author, std::string action, std::string target,
                                           std::string data) = 0;
};

}  // namespace plimsoll::identity
