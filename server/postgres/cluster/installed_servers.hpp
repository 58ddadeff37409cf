#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace plimsoll::postgres {

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

}  // namespace plimsoll::postgres
