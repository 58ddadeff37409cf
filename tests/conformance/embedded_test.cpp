#include "server/postgres/cluster/embedded.hpp"

#include "server/postgres/cluster/embedded_settings.hpp"
#include "server/postgres/driver/connect.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll::postgres {
namespace {

namespace fs = std::filesystem;

// One data directory for all tests, because making a cluster is slow. Its path is too long for a
// socket, and somebody died while making a cluster in it.
class EmbeddedTest : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        std::string path = fs::temp_directory_path() / "plimsoll-test-XXXXXX";
        top_ = mkdtemp(path.data());
        chmod(path.c_str(), 0755);
        base_ = top_ / std::string(100, 'd');
        fs::create_directories(base_ / "postgres.new" / "half-made");
    }
    static void TearDownTestSuite() {
        std::error_code ignored;
        fs::remove_all(top_, ignored);
    }

    void start() {
        auto started = EmbeddedCluster::start(base_);
        ASSERT_TRUE(started) << started.error().message;
        cluster_ = std::move(*started);
    }

    std::string query(const std::string& sql) {
        Handle handle(PQconnectdb((cluster_->conninfo() + " user=" + kEmbeddedSuperuser).c_str()));
        std::unique_ptr<PGresult, decltype(&PQclear)> rows(PQexec(handle.get(), sql.c_str()),
                                                           &PQclear);
        return PQntuples(rows.get()) == 1 ? PQgetvalue(rows.get(), 0, 0)
                                          : PQerrorMessage(handle.get());
    }

    inline static fs::path top_;
    inline static fs::path base_;
    std::unique_ptr<EmbeddedCluster> cluster_;
};

TEST_F(EmbeddedTest, KeepsItsDataAcrossAStop) {
    start();
    EXPECT_FALSE(cluster_->adopted());
    query("create table if not exists kept as select 7 v");
    EXPECT_EQ(query("show fsync"), "on");
    EXPECT_EQ(query("show listen_addresses"), "");
    cluster_.reset();
    start();
    EXPECT_EQ(query("select v from kept"), "7");
}

TEST_F(EmbeddedTest, AdoptsAServerThatOutlivedItsOwner) {
    // The owner is a child that dies without a word.
    const pid_t owner = fork();
    if (owner == 0) {
        auto started = EmbeddedCluster::start(base_);
        _exit(started ? 0 : 1);
    }
    int status = 0;
    waitpid(owner, &status, 0);
    ASSERT_EQ(status, 0);
    start();
    EXPECT_TRUE(cluster_->adopted());
    EXPECT_EQ(query("select 1"), "1");
}

TEST_F(EmbeddedTest, RefusesASecondOwner) {
    start();
    auto second = EmbeddedCluster::start(base_);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find("Another plimsoll"), std::string::npos);
    EXPECT_EQ(query("select 1"), "1");
}

TEST_F(EmbeddedTest, NamesThePackageForDataOfAnotherVersion) {
    const fs::path other = top_ / "other";
    fs::create_directories(other / "postgres");
    std::ofstream(other / "postgres" / "PG_VERSION") << "9999\n";
    auto started = EmbeddedCluster::start(other);
    ASSERT_FALSE(started);
    EXPECT_NE(started.error().message.find("postgresql-9999"), std::string::npos);
}

TEST_F(EmbeddedTest, NamesADirectoryThatPostgresCannotEnter) {
    if (geteuid() != 0) GTEST_SKIP() << "only root runs PostgreSQL as another user";
    const fs::path closed = top_ / "closed";
    fs::create_directories(closed);
    chmod(closed.c_str(), 0700);
    auto started = EmbeddedCluster::start(closed / "inside");
    ASSERT_FALSE(started);
    EXPECT_NE(started.error().message.find(closed.string()), std::string::npos);
}

TEST_F(EmbeddedTest, AnUnfinishedClusterIsRemoved) {
    start();
    EXPECT_FALSE(fs::exists(base_ / "postgres.new"));
    EXPECT_FALSE(fs::exists(base_ / "postgres" / "half-made"));
    EXPECT_EQ(query("select 1"), "1");
}

}  // namespace
}  // namespace plimsoll::postgres
