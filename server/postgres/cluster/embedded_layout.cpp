#include "server/postgres/cluster/embedded_layout.hpp"

#include "server/postgres/cluster/problem.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll::postgres {
namespace {

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

constexpr const char* kInstalled = "/usr/lib/postgresql";

bool has_server(const fs::path& binaries) {
    return fs::exists(binaries / "initdb") && fs::exists(binaries / "postgres");
}

Result<fs::path> newest_binaries() {
    int newest = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(kInstalled, ignored)) {
        const int major = std::atoi(entry.path().filename().c_str());
        if (major > newest && has_server(entry.path() / "bin")) newest = major;
    }
    if (newest == 0) {
        return fail(problem("No PostgreSQL server is installed under " + std::string(kInstalled) +
                            ": install the package postgresql, or set database.url."));
    }
    return fs::path(kInstalled) / std::to_string(newest) / "bin";
}

// The data of one major version can only be read by the same one.
Result<fs::path> binaries_for(const fs::path& cluster) {
    std::ifstream file(cluster / "PG_VERSION");
    std::string major;
    if (!(file >> major)) return newest_binaries();
    fs::path binaries = fs::path(kInstalled) / major / "bin";
    if (has_server(binaries)) return binaries;
    return fail(problem("The data in " + cluster.string() + " was written by PostgreSQL " + major +
                        ", which is not installed. Install the package postgresql-" + major +
                        ", or dump the data with that version and restore it into a new folder."));
}

bool may_enter(const struct stat& directory, const RunAs& user) {
    if (directory.st_uid == user.user) return directory.st_mode & S_IXUSR;
    if (std::find(user.groups.begin(), user.groups.end(), directory.st_gid) != user.groups.end()) {
        return directory.st_mode & S_IXGRP;
    }
    return directory.st_mode & S_IXOTH;
}

Result<void> check_passable(const fs::path& base, const RunAs& user) {
    fs::path step;
    for (const fs::path& part : base) {
        step /= part;
        struct stat found;
        if (stat(step.c_str(), &found) == 0 && may_enter(found, user)) continue;
        return fail(problem("PostgreSQL runs as the user postgres, which cannot access " +
                            step.string() +
                            ": choose another data folder (--data), or grant access (chmod o+x)."));
    }
    return {};
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
    if (lstat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != owner) {
        return fail(problem(path.string() + " is not a folder that PostgreSQL's user owns."));
    }
    return {};
}

fs::path socket_directory(const fs::path& base) {
    fs::path own = base / "run";
    if (own.string().size() <= kLongestSocketDirectory) return own;
    return "/tmp/plimsoll-" + std::to_string(geteuid()) + "-" +
           std::to_string(std::hash<std::string>{}(base.string()));
}

}  // namespace

Result<fs::path> default_data_directory() {
    if (geteuid() == 0) return "/var/lib/plimsoll";
    if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state == '/') {
        return fs::path(state) / "plimsoll";
    }
    if (const char* home = std::getenv("HOME"); home && *home == '/') {
        return fs::path(home) / ".local/state/plimsoll";
    }
    return fail(problem("There is no home folder: set a data folder (--data)."));
}

Result<EmbeddedLayout> prepare_layout(fs::path base) {
    std::error_code error;
    base = fs::absolute(base);
    // Regardless of the umask: PostgreSQL's user must have access, and nobody else may write.
    if (fs::create_directories(base, error)) fs::permissions(base, fs::perms{0755}, error);
    if (!error) base = fs::canonical(base, error);
    if (error) {
        return fail(
            problem("The data folder " + base.string() + " cannot be created: " + error.message()));
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
                problem("The user postgres does not exist: install the package postgresql, or set "
                        "database.url."));
        }
        if (auto passable = check_passable(base, *layout.run_as); !passable) {
            return fail(std::move(passable.error()));
        }
    }
    auto binaries = binaries_for(layout.cluster);
    if (!binaries) return fail(std::move(binaries.error()));
    layout.binaries = *binaries;
    for (const fs::path& path : {layout.logs, layout.sockets}) {
        if (auto made = make_private(path, layout.run_as); !made) {
            return fail(std::move(made.error()));
        }
    }
    return layout;
}

}  // namespace plimsoll::postgres
