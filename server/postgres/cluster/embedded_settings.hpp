#pragma once

#include "engine/base/result.hpp"
#include "server/postgres/cluster/embedded_layout.hpp"

namespace plimsoll::postgres {

// The superuser and the only database of the private cluster.
inline constexpr const char* kEmbeddedSuperuser = "plimsoll_superuser";
inline constexpr const char* kEmbeddedDatabase = "plimsoll";

// The Plimsoll roles that log in; migrations/versions/0001_baseline/10_roles.sql creates them.
inline constexpr const char* kAppRole = "plimsoll_app";
inline constexpr const char* kWorkerRole = "plimsoll_worker";

// Writes postgresql.conf, pg_hba.conf and pg_ident.conf of the private cluster from scratch, so
// that no setting of an older release remains. Only the Unix socket is open, and only to the user
// who runs plimsoll (peer authentication); that user may connect as every Plimsoll role.
Result<void> write_settings(const EmbeddedLayout& layout);

}  // namespace plimsoll::postgres
