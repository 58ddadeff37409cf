#include "server/postgres/cluster/embedded_settings.hpp"

#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll::postgres {
namespace {

namespace fs = std::filesystem;

// The roles that can log in: migrations/versions/0001_baseline/10_roles.sql makes all but the
// first.
constexpr const char* kRoles[] = {kEmbeddedSuperuser, kAppRole, kWorkerRole};

std::string setting_value(const std::string& value) {
    std::string out = "'";
    for (char c : value) {
        if (c == '\'') out += '\'';
        out += c;
    }
    return out + "'";
}

// PostgreSQL's processes share memory there; some containers have none.
bool can_share_memory(const EmbeddedLayout& layout) {
    struct stat found;
    if (stat("/dev/shm", &found) != 0) return false;
    return (found.st_mode & S_IWOTH) != 0 || (!layout.run_as && access("/dev/shm", W_OK) == 0);
}

std::string configuration(const EmbeddedLayout& layout) {
    return "# Written by plimsoll at every start.\n"
           "listen_addresses = ''\n"
           "port = 5432\n"
           "unix_socket_directories = " +
           setting_value(layout.sockets.string()) +
           "\n"
           "unix_socket_permissions = 0700\n"
           "max_connections = 100\n"
           "shared_buffers = 128MB\n"
           "max_wal_size = 2GB\n"
           "wal_compression = on\n"
           // A replica or backup of a private cluster is taken offline or with pg_dump.
           "wal_level = minimal\n"
           "max_wal_senders = 0\n"
           "checkpoint_timeout = 15min\n"
           "random_page_cost = 1.1\n"
           // The queries are short: compiling them costs more than running them.
           "jit = off\n"
           "timezone = 'UTC'\n"
           "log_timezone = 'UTC'\n"
           "cluster_name = 'plimsoll'\n"
           "dynamic_shared_memory_type = " +
           (can_share_memory(layout) ? "posix" : "mmap") +
           "\n"
           // A week of logs, one file a weekday.
           "logging_collector = on\n"
           "log_directory = " +
           setting_value(layout.logs.string()) +
           "\n"
           "log_filename = 'postgresql-%a.log'\n"
           "log_truncate_on_rotation = on\n"
           "log_rotation_age = 1d\n"
           "log_rotation_size = 0\n"
           "log_line_prefix = '%m [%p] %q%u '\n"
           "log_checkpoints = off\n";
}

std::string identities(const EmbeddedLayout& layout) {
    std::string out = "# Written by plimsoll at every start.\n";
    for (const char* role : kRoles) out += "plimsoll \"" + layout.os_user + "\" " + role + "\n";
    return out;
}

// The folder belongs to PostgreSQL's user, and root may be writing: anything there with the draft's
// name, such as a link, is removed and never followed.
Result<void> write_file(const EmbeddedLayout& layout, const char* name, const std::string& text) {
    const auto path = layout.cluster / name;
    const auto draft = layout.cluster / (std::string(name) + ".new");
    const auto cannot = [](const fs::path& file) {
        return fail(Errc::unavailable, file.string() + " cannot be written.");
    };
    unlink(draft.c_str());
    const int descriptor =
        open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) return cannot(draft);
    const auto& as = layout.run_as;
    const bool written =
        write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        (!as || fchown(descriptor, as->user, as->group) == 0) && fchmod(descriptor, 0600) == 0;
    close(descriptor);
    if (!written || rename(draft.c_str(), path.c_str()) != 0) return cannot(path);
    return {};
}

}  // namespace

Result<void> write_settings(const EmbeddedLayout& layout) {
    const std::pair<const char*, std::string> files[] = {
        {"postgresql.conf", configuration(layout)},
        {"pg_hba.conf", "# Written by plimsoll at every start.\nlocal all all peer map=plimsoll\n"},
        {"pg_ident.conf", identities(layout)},
    };
    for (const auto& [name, text] : files) TRY_DO(write_file(layout, name, text));
    return {};
}

}  // namespace plimsoll::postgres
