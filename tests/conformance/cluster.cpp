#include "tests/conformance/cluster.hpp"

#include "server/postgres/cluster/embedded_settings.hpp"
#include "server/postgres/schema/migrator.hpp"

#include <filesystem>
#include <fstream>
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
    embedded_ = must(postgres::EmbeddedCluster::start(directory_));
    must(postgres::migrate(superuser()));
}

Cluster::~Cluster() {
    (void)embedded_->stop();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

postgres::Target Cluster::superuser() const {
    return as(postgres::kEmbeddedSuperuser);
}

void Cluster::freeze() const {
    signal_all(SIGSTOP);
}

void Cluster::thaw() const {
    signal_all(SIGCONT);
}

void Cluster::signal_all(int signal) const {
    const pid_t postmaster = embedded_->pid();
    kill(postmaster, signal);
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        std::string line;
        if (!std::getline(stat, line)) continue;
        // "pid (name) state ppid …"; the name may hold anything.
        const auto end = line.rfind(')');
        if (end == std::string::npos || line.size() < end + 5) continue;
        if (std::atoi(line.c_str() + end + 4) == postmaster) kill(std::atoi(line.c_str()), signal);
    }
}

void Cluster::end_sessions(const char* role) const {
    execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() "
        "and usename = '" +
        std::string(role) + "'");
}

void Cluster::stop() {
    (void)embedded_->stop();
    embedded_.reset();
}

void Cluster::start() {
    embedded_ = must(postgres::EmbeddedCluster::start(directory_));
}

std::string Cluster::execute(const std::string& sql) const {
    const auto target = superuser();
    postgres::Handle handle(PQconnectdb((target.conninfo + " user=" + target.user).c_str()));
    std::unique_ptr<PGresult, decltype(&PQclear)> rows(PQexec(handle.get(), sql.c_str()), &PQclear);
    const auto status = PQresultStatus(rows.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        throw std::runtime_error(PQerrorMessage(handle.get()));
    }
    return PQntuples(rows.get()) > 0 ? PQgetvalue(rows.get(), 0, 0) : "";
}

}  // namespace plimsoll::conformance
