#include "server/postgres/cluster/postmaster.hpp"

#include <fstream>
#include <string>
#include <string_view>

#include <signal.h>

namespace plimsoll::postgres {

pid_t named_postmaster(const std::filesystem::path& cluster) {
    std::ifstream file(cluster / "postmaster.pid");
    pid_t found = 0;
    file >> found;
    return found;
}

bool is_postmaster_running(const std::filesystem::path& cluster) {
    const pid_t pid = named_postmaster(cluster);
    if (pid <= 0 || kill(pid, 0) != 0) return false;
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string stat;
    // If /proc cannot be read, a process that accepts signals counts as running.
    if (!std::getline(file, stat)) return true;
    // "123 (postgres) S …": the state follows the name, which is the program's file name.
    constexpr std::string_view name = " (postgres) ";
    const auto at = stat.find(name);
    if (at == std::string::npos) return false;
    const char state = stat[at + name.size()];
    return state != 'Z' && state != 'X';
}

}  // namespace plimsoll::postgres
