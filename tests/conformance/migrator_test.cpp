#include "server/postgres/schema/migrator.hpp"

#include "server/postgres/cluster/embedded_settings.hpp"
#include "tests/conformance/cluster.hpp"

#include <gtest/gtest.h>
#include <libpq-fe.h>

namespace plimsoll::postgres {
namespace {

using conformance::Cluster;
using migrations::Migration;

// A database of its own per test, so that the shared one stays whole.
class MigratorTest : public testing::Test {
  protected:
    void SetUp() override {
        const std::string name = conformance::unique_test_name();
        database_ = "\"" + name + "\"";
        execute(Cluster::get().superuser().conninfo, "create database " + database_);
        target_ = Cluster::get().superuser();
        target_.conninfo += " dbname='" + name + "'";
    }

    static std::string execute(const std::string& conninfo, const std::string& sql) {
        Handle handle(PQconnectdb((conninfo + " user=" + kEmbeddedSuperuser).c_str()));
        std::unique_ptr<PGresult, decltype(&PQclear)> rows(PQexec(handle.get(), sql.c_str()),
                                                           &PQclear);
        return PQntuples(rows.get()) > 0 ? PQgetvalue(rows.get(), 0, 0)
                                         : PQerrorMessage(handle.get());
    }

    std::string database_;
    Target target_;
};

const int kNewest = static_cast<int>(migrations::all.size());

TEST_F(MigratorTest, AppliesEverythingOnce) {
    auto first = migrate(target_);
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(first->before, 0);
    EXPECT_EQ(first->after, kNewest);
    auto second = migrate(target_);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->before, kNewest);
}

TEST_F(MigratorTest, RefusesASchemaThatIsNewer) {
    ASSERT_TRUE(migrate(target_));
    execute(target_.conninfo,
            "insert into plimsoll.schema_migration (version, name, sha256) "
            "values (9999, 'from_the_future', sha256('x'))");
    auto refused = migrate(target_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::conflict);
    EXPECT_NE(refused.error().message.find("9999"), std::string::npos);
}

TEST_F(MigratorTest, RefusesAChangedMigration) {
    ASSERT_TRUE(migrate(target_));
    execute(target_.conninfo,
            "update plimsoll.schema_migration set sha256 = sha256('x') where version = 1");
    auto refused = migrate(target_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::conflict);
}

TEST_F(MigratorTest, TakesTheFormerTextOfAMigrationForAsGood) {
    ASSERT_TRUE(migrate(target_));
    for (const Migration& migration : migrations::all) {
        if (migration.formerly.empty()) continue;
        EXPECT_EQ(migration.formerly.size(), migration.sha256.size());
        execute(target_.conninfo, "update plimsoll.schema_migration set sha256 = '\\x" +
                                      std::string(migration.formerly) +
                                      "' where version = " + std::to_string(migration.version));
    }
    auto again = migrate(target_);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->before, kNewest);
}

TEST_F(MigratorTest, AFailingMigrationLeavesNothingBehind) {
    const Migration& first = *migrations::all.begin();
    const std::initializer_list<Migration> known = {
        first, {2, "broken", first.sha256, "create table half (a int); select 1 / 0;"}};
    auto failed = migrate(target_, known);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().message.find("broken"), std::string::npos);
    EXPECT_EQ(execute(target_.conninfo, "select count(*) from plimsoll.schema_migration"), "1");
    EXPECT_EQ(execute(target_.conninfo, "select to_regclass('half') is null"), "t");
}

}  // namespace
}  // namespace plimsoll::postgres
