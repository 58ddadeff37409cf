#include "server/postgres/cluster/embedded.hpp"

#include "server/postgres/cluster/embedded_layout.hpp"
#include "server/postgres/cluster/embedded_settings.hpp"
#include "server/postgres/driver/sqlstate.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <libpq-fe.h>
#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <pqxx/result>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace plimsoll::postgres {
namespace {

// The process id in a cluster's postmaster.pid; 0 if there is no such file.
pid_t named_postmaster(const std::filesystem::path& cluster) {
    std::ifstream file(cluster / "postmaster.pid");
    pid_t found = 0;
    file >> found;
    return found;
}

// Whether that process is running and is PostgreSQL. A killed one may remain a zombie, which still
// accepts signals, if nothing reaps it, as in a container without an init. The process id may also
// have been reused, for example after a reboot.
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

namespace fs = std::filesystem;

// Crash recovery of a large write-ahead log may take minutes.
constexpr std::chrono::seconds kStart{300};
// PostgreSQL does not start without room for the next file of its write-ahead log.
constexpr std::uintmax_t kLogFile = 16 << 20;
constexpr const char* kStopSeconds = "60";
// Above every process ID that Linux assigns.
constexpr const char* kNoProcess = "2147483647";

std::string conninfo_in(const EmbeddedLayout& layout) {
    return "host='" + layout.sockets.string() + "' port=5432 dbname=" + kEmbeddedDatabase;
}

// A postmaster that is alive accepts us, is starting, or is stopping.
bool answers(const std::string& conninfo) {
    const std::string quick = conninfo + " connect_timeout=3";
    const auto ping = PQping(quick.c_str());
    return ping == PQPING_OK || ping == PQPING_REJECT;
}

// An adopted server may be recovering from the death of a backend, and refuses connections until
// then. Throws pqxx::broken_connection.
pqxx::connection connect_when_ready(const std::string& conninfo) {
    const auto deadline = std::chrono::steady_clock::now() + kStart;
    for (bool last = false;;) {
        try {
            return pqxx::connection(conninfo);
        } catch (const pqxx::broken_connection&) {
            if (last || std::chrono::steady_clock::now() > deadline) throw;
        }
        // It may have become ready just after refusing, so try once more.
        last = PQping(conninfo.c_str()) != PQPING_REJECT;
        if (!last) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

// The sentence for a full disk, if PostgreSQL reports one, or cannot since its log lies there, too;
// otherwise `otherwise`.
std::string cause_in(const std::string& said, const fs::path& folder, std::string otherwise) {
    std::error_code unread;
    const bool full = fs::space(folder, unread).available < kLogFile && !unread;
    if (!full && said.find("No space left on device") == std::string::npos) return otherwise;
    return std::string(kDiskFull) + " Free some space; no acknowledged data is lost.";
}

// What PostgreSQL wrote last: at first into the file that pg_ctl gives it, then into its own logs.
std::string last_words(const fs::path& logs, fs::path newest) {
    std::error_code unread;
    for (const auto& file : fs::directory_iterator(logs, unread))
        if (fs::last_write_time(file, unread) >= fs::last_write_time(newest, unread)) newest = file;
    return log_tail(newest);
}

}  // namespace

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::start(const fs::path& data,
                                                                const fs::path& postgres) {
    TRY(auto layout, prepare_layout(data, postgres));
    TRY(auto locked, DataLock::take(layout.base));
    std::unique_ptr<EmbeddedCluster> cluster(
        new EmbeddedCluster(std::move(layout), std::move(locked)));
    for (auto step :
         {&EmbeddedCluster::create, &EmbeddedCluster::launch, &EmbeddedCluster::create_database}) {
        TRY_DO((cluster.get()->*step)());
    }
    return cluster;
}

EmbeddedCluster::EmbeddedCluster(EmbeddedLayout layout, DataLock lock)
    : layout_(std::move(layout)), lock_(std::move(lock)) {}

EmbeddedCluster::~EmbeddedCluster() {
    if (running_) (void)stop();
}

std::string EmbeddedCluster::conninfo() const { return conninfo_in(layout_); }

Result<std::string> EmbeddedCluster::conninfo_of(const fs::path& data, const fs::path& postgres) {
    TRY(auto layout, prepare_layout(data, postgres));
    return conninfo_in(layout);
}

// initdb works in a directory beside the final one, so that an incomplete cluster is never mistaken
// for a complete one.
Result<void> EmbeddedCluster::create() {
    std::error_code unread;
    if (fs::exists(layout_.cluster / "PG_VERSION", unread)) return {};
    if (fs::exists(layout_.cluster, unread) && !fs::is_empty(layout_.cluster, unread)) {
        return fail(problem(layout_.cluster.string() +
                            " exists but is not a PostgreSQL cluster: its file PG_VERSION is "
                            "missing. Restore a backup, or move the folder away to start over."));
    }
    const fs::path draft = layout_.base / "postgres.new";
    std::error_code error;
    fs::remove_all(draft, error);
    fs::create_directory(draft, error);
    if (error) return fail(problem(draft.string() + " cannot be created: " + error.message()));
    if (layout_.run_as && chown(draft.c_str(), layout_.run_as->user, layout_.run_as->group) != 0)
        return fail(problem("The owner of " + draft.string() + " cannot be set."));
    TRY(auto made,
        run(layout_.programs / "initdb",
            {"--pgdata", draft, "--username", kEmbeddedSuperuser, "--auth", "peer", "--encoding",
             "UTF8", "--locale", "C", "--data-checksums", "--no-instructions"}));
    if (made.status != 0) {
        return fail(
            problem(cause_in(made.output, draft, "PostgreSQL's initdb failed: " + made.output)));
    }
    fs::rename(draft, layout_.cluster, error);
    if (error) return fail(problem(layout_.cluster.string() + " cannot be created."));
    return {};
}

Result<void> EmbeddedCluster::launch() {
    TRY_DO(write_settings(layout_));
    if (is_alive() && answers(conninfo())) {
        adopted_ = true;
        running_ = true;
        TRY(auto reloaded, control({"reload"}));
        if (reloaded.status != 0) return fail(problem(reloaded.output));
        return {};
    }
    if (!is_alive()) {
        TRY_DO(remove_stale_locks());
    }
    // pg_ctl puts the server into a session of its own, so that Ctrl-C at the terminal reaches us
    // alone and the server stays until our drain is over.
    const fs::path log = layout_.logs / "start.log";
    TRY(auto started,
        control({"start", "--wait", "--timeout", std::to_string(kStart.count()), "--log", log}));
    if (started.status != 0) {
        const auto said = last_words(layout_.logs, log);
        return fail(problem(cause_in(
            said, layout_.cluster,
            "The private PostgreSQL did not start (see " + layout_.logs.string() + "): " + said)));
    }
    running_ = true;
    return {};
}

Result<void> EmbeddedCluster::create_database() {
    const auto as_superuser =
        conninfo() + " user=" + kEmbeddedSuperuser + " dbname=postgres";  // the later dbname wins
    try {
        auto connection = connect_when_ready(as_superuser);
        pqxx::nontransaction session(connection);  // databases are not made in transactions
        const std::string name(kEmbeddedDatabase);
        if (session.exec("select from pg_database where datname = " + session.quote(name)).empty())
            session.exec("create database " + session.quote_name(name));
        return {};
    } catch (const pqxx::broken_connection& error) {
        return fail(problem(std::string("The private PostgreSQL does not accept connections: ") +
                            error.what()));
    } catch (const pqxx::failure& error) {
        return fail(problem(std::string("Cannot create the private database: ") + error.what()));
    }
}

pid_t EmbeddedCluster::pid() const { return named_postmaster(layout_.cluster); }

bool EmbeddedCluster::is_alive() const { return is_postmaster_running(layout_.cluster); }

// PostgreSQL takes any process with the ID in a lock file for its owner, even a dead one that was
// never reaped. The rest of postmaster.pid stays: by it PostgreSQL sees whether backends of the
// dead postmaster still use its memory, and refuses to start until they are gone.
Result<void> EmbeddedCluster::remove_stale_locks() const {
    std::error_code ignored;
    fs::remove(layout_.sockets / ".s.PGSQL.5432.lock", ignored);
    const fs::path file = layout_.cluster / "postmaster.pid";
    if (!fs::exists(file)) return {};
    TRY(auto edited, run("/bin/sed", {"-i", std::string("1s/.*/") + kNoProcess + "/", file}));
    if (edited.status != 0) return fail(problem(edited.output));
    return {};
}

Result<void> EmbeddedCluster::stop() {
    running_ = false;
    if (!is_alive()) return {};
    TRY(auto stopped, control({"stop", "--mode", "fast", "--wait", "--timeout", kStopSeconds}));
    if (stopped.status != 0) return fail(problem(stopped.output));
    // Leave nothing outside the data directory.
    std::error_code ignored;
    if (layout_.sockets.parent_path() != layout_.base) fs::remove(layout_.sockets, ignored);
    return {};
}

Result<Finished> EmbeddedCluster::control(std::initializer_list<std::string> arguments) const {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--silent", "--pgdata", layout_.cluster});
    return run(layout_.programs / "pg_ctl", std::move(all));
}

Result<Finished> EmbeddedCluster::run(const fs::path& program,
                                      std::vector<std::string> arguments) const {
    ChildCommand command{
        .path = program,
        .arguments = std::move(arguments),
        .environment = {"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"},
        .redirections = {{ChildCommand::kNothing, STDIN_FILENO}, {STDOUT_FILENO, STDERR_FILENO}},
        .as = layout_.run_as,
        .folder = "/",
        .umask = 0077,
        .death_signal = SIGKILL};  // for example initdb, when a start is aborted
    if (command.as) command.environment.push_back("HOME=" + command.as->home);
    return run_program(std::move(command));
}

std::string log_tail(const std::filesystem::path& file) {
    constexpr off_t kMax = 1024;
    const int descriptor = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return {};
    struct stat about{};
    std::string text;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
        text.resize(static_cast<std::size_t>(std::min(about.st_size, kMax)));
        const auto from = about.st_size - static_cast<off_t>(text.size());
        const auto count = pread(descriptor, text.data(), text.size(), from);
        text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        // A line that begins before is left out.
        if (from > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
    }
    close(descriptor);
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace plimsoll::postgres
