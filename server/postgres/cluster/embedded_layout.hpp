#pragma once

#include "engine/base/result.hpp"
#include "server/base/programs/spawn.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::postgres {

// The private PostgreSQL cannot be used, and why.
inline Error problem(std::string message) { return {Errc::unavailable, std::move(message), {}}; }

// PostgreSQL's programs of one version on this machine.
struct InstalledServer {
    int major;
    std::filesystem::path programs;  // the folder of initdb, pg_ctl and postgres
};

// How to get one, for the end of a message.
inline constexpr std::string_view kInstallAdvice =
    "install the package postgresql, or pip install 'plimsoll[server]', or name the folder of "
    "another server's programs with database.postgres, or set database.url.";

// The servers that run here, newest first: `chosen` alone or, if it is empty, those of Debian's
// packages and those of the Python environment that plimsoll is installed in.
std::vector<InstalledServer> installed_servers(const std::filesystem::path& chosen);

// Directories and user of the private PostgreSQL of one data directory.
struct EmbeddedLayout {
    std::filesystem::path base;      // --data
    std::filesystem::path cluster;   // PGDATA, base/postgres
    std::filesystem::path logs;      // base/log
    std::filesystem::path sockets;   // base/run, or a short path below /tmp
    std::filesystem::path programs;  // of the cluster's major version
    std::string os_user;             // who runs plimsoll
    std::optional<RunAs> run_as;     // who runs PostgreSQL, if different
};

// The default data directory: /var/lib/plimsoll for root, else $XDG_STATE_HOME/plimsoll, else
// ~/.local/state/plimsoll.
Result<std::filesystem::path> default_data_directory();

// Determines the layout and creates its directories. As root, PostgreSQL's files belong to the user
// postgres, because initdb and postgres refuse to run as root. `postgres`: the folder of the
// server's programs; empty: an installed one. Errors: the user does not exist, there are no
// programs of the data's version, or PostgreSQL's user cannot enter a directory.
Result<EmbeddedLayout> prepare_layout(std::filesystem::path base,
                                      const std::filesystem::path& postgres);

}  // namespace plimsoll::postgres
