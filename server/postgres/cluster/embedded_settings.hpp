#pragma once

#include "engine/base/result.hpp"
#include "server/postgres/cluster/embedded_layout.hpp"

namespace plimsoll::postgres {

// The superuser of the private cluster, and the one database in it.
inline constexpr const char* kEmbeddedSuperuser = "plimsoll_superuser";
inline constexpr const char* kEmbeddedDatabase = "plimsoll";

// The roles of ours that log in; migrations/0001_roles.sql makes them.
inline constexpr const char* kAppRole = "plimsoll_app";
inline constexpr const char* kWorkerRole = "plimsoll_worker";

// Writes postgresql.conf, pg_hba.conf and pg_ident.conf of the private cluster anew, so that an
// older release's settings do not stay behind. Only the socket is open, and only to the user who
// runs plimsoll, known by the kernel (peer); that user may take every role of ours.
Result<void> write_settings(const EmbeddedLayout& layout);

}  // namespace plimsoll::postgres
