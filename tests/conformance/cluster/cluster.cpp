#include "tests/conformance/cluster/cluster.hpp"

#include "server/postgres/cluster/embedded_settings.hpp"
#include "server/postgres/schema/migrator.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll::conformance {
namespace {

template <class T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
}

}  // namespace

std::string unique_test_name() {
    static int count = 0;
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(info->test_suite_name()) + "_" + info->name() + "_" +
           std::to_string(++count);
}

Cluster& Cluster::get() {
    static Cluster cluster;
    return cluster;
}

Cluster::Cluster() {
    std::string path = std::filesystem::temp_directory_path() / "plimsoll-test-XXXXXX";
    if (!mkdtemp(path.data())) throw std::runtime_error("no temporary directory");
    chmod(path.c_str(), 0755);
    directory_ = path;
    // Made beforehand, in a third of the time; the rest is tested by embedded_test and
    // migrator_test.
    if (getenv("PLIMSOLL_TEST_CACHE") &&
        std::system(("tests/support/postgres data " + directory_).c_str()) != 0) {
        throw std::runtime_error("no database was made");
    }
    embedded_ = must(postgres::EmbeddedCluster::start(directory_));
    // No machine fails under these tests: nothing waits for the disk.
    execute("alter system set fsync = off");
    execute("select pg_reload_conf()");
    must(postgres::migrate(superuser()));
}

Cluster::~Cluster() {
    stop();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

postgres::Target Cluster::superuser() const { return as(postgres::kEmbeddedSuperuser); }

void Cluster::freeze() const { signal_all(SIGSTOP); }

void Cluster::thaw() const { signal_all(SIGCONT); }

void Cluster::signal_all(int signal) const {
    const pid_t postmaster = embedded_->pid();
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        std::string line;
        if (!std::getline(stat, line)) continue;
        // "pid (name) state ppid …"; the name may hold anything.
        const auto end = line.rfind(')');
        if (end == std::string::npos || line.size() < end + 5) continue;
        if (std::atoi(line.c_str() + end + 4) == postmaster) kill(std::atoi(line.c_str()), signal);
    }
    kill(postmaster, signal);
}

void Cluster::crash() {
    signal_all(SIGSTOP);
    signal_all(SIGKILL);
    session_.reset();
    embedded_.reset();
    start();
}

void Cluster::end_sessions(const char* role) {
    execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() "
        "and usename = '" +
        std::string(role) + "'");
}

void Cluster::stop() {
    session_.reset();
    (void)embedded_->stop();
    embedded_.reset();
}

void Cluster::start() { embedded_ = must(postgres::EmbeddedCluster::start(directory_)); }

std::string Cluster::execute(const std::string& sql) {
    if (!session_) {
        const auto target = superuser();
        session_.reset(PQconnectdb((target.conninfo + " user=" + target.user).c_str()));
    }
    std::unique_ptr<PGresult, decltype(&PQclear)> rows(PQexec(session_.get(), sql.c_str()),
                                                       &PQclear);
    const auto status = PQresultStatus(rows.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        throw std::runtime_error(PQerrorMessage(session_.get()));
    return PQntuples(rows.get()) > 0 ? PQgetvalue(rows.get(), 0, 0) : "";
}

void TestDatabase::save() {
    std::ifstream file("tests/support/restore.sql");
    Cluster::get().execute({std::istreambuf_iterator<char>(file), {}});
}

TestDatabase::TestDatabase() { [[maybe_unused]] static const bool saved = (save(), true); }

TestDatabase::~TestDatabase() {
    open();
    execute("select saved.end_sessions(); select saved.restore()");
}

void TestDatabase::close() const {
    execute(std::string("alter database ") + postgres::kEmbeddedDatabase + " connection limit 0");
    execute("select saved.end_sessions()");
}

void TestDatabase::open() const {
    execute(std::string("alter database ") + postgres::kEmbeddedDatabase + " connection limit -1");
}

}  // namespace plimsoll::conformance
