#include "server/postgres/schema/migrator.hpp"

#include "server/postgres/cluster/embedded_settings.hpp"
#include "tests/conformance/cluster/cluster.hpp"

#include <future>
#include <vector>

#include <gtest/gtest.h>
#include <libpq-fe.h>

namespace plimsoll::postgres {
namespace {

using conformance::Cluster;
using migrations::Function;
using migrations::kSchema;
using migrations::Schema;
using migrations::Version;

const int kNewest = static_cast<int>(kSchema.versions.size());
constexpr std::string_view kHash =
    "0000000000000000000000000000000000000000000000000000000000000000";
constexpr std::string_view kOtherHash =
    "1111111111111111111111111111111111111111111111111111111111111111";

// A database of its own per test, so that the shared one stays whole.
class MigratorTest : public testing::Test {
  protected:
    void SetUp() override {
        const std::string name = conformance::unique_test_name();
        execute(Cluster::get().superuser().conninfo, "create database \"" + name + "\"");
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

    std::string ask(const std::string& sql) { return execute(target_.conninfo, sql); }

    // Today's versions and these functions, as set number `set`.
    Schema with(std::span<const Function> functions, int set) const {
        return {kSchema.versions, functions, kSchema.rights, set};
    }

    // The functions of today and this one.
    static std::vector<Function> functions_and(Function more) {
        std::vector<Function> all(kSchema.functions.begin(), kSchema.functions.end());
        all.push_back(more);
        return all;
    }

    Target target_;
};

TEST_F(MigratorTest, AppliesEverythingOnce) {
    auto first = migrate(target_);
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(first->before, 0);
    EXPECT_EQ(first->after, kNewest);
    EXPECT_EQ(first->functions, static_cast<int>(kSchema.functions.size()));
    auto second = migrate(target_);
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_EQ(second->before, kNewest);
    EXPECT_EQ(second->functions, 0);
}

TEST_F(MigratorTest, ReplacesAFunctionWhoseTextChanged) {
    const auto answer = [&] { return ask("select plimsoll.lighthouse()"); };
    const auto of = [](std::string_view hash, std::string_view sql) {
        return functions_and({"lighthouse", hash, sql});
    };
    auto functions = of(
        kHash, "create or replace function lighthouse() returns text language sql return 'dark';");
    ASSERT_TRUE(migrate(target_, with(functions, kSchema.set)));
    EXPECT_EQ(answer(), "dark");
    functions =
        of(kOtherHash,
           "create or replace function lighthouse() returns text language sql return 'lit';");
    auto replaced = migrate(target_, with(functions, kSchema.set));
    ASSERT_TRUE(replaced) << replaced.error().message;
    EXPECT_EQ(replaced->functions, 1);
    EXPECT_EQ(answer(), "lit");
    EXPECT_EQ(ask("select pg_get_userbyid(proowner) from pg_proc where proname = 'lighthouse'"),
              "plimsoll_queue")
        << "a new function has the rights of the page, and no others";
    EXPECT_EQ(ask("select has_function_privilege('plimsoll_app', 'plimsoll.lighthouse()', "
                  "'execute')"),
              "f");
}

TEST_F(MigratorTest, LeavesTheFunctionsOfANewerProgramAlone) {
    const auto newer = functions_and(
        {"lighthouse", kHash,
         "create or replace function lighthouse() returns text language sql return 'newer';"});
    ASSERT_TRUE(migrate(target_, with(newer, kSchema.set + 1)));
    const auto older = functions_and(
        {"lighthouse", kOtherHash,
         "create or replace function lighthouse() returns text language sql return 'older';"});
    auto left_alone = migrate(target_, with(older, kSchema.set));
    ASSERT_TRUE(left_alone) << left_alone.error().message;
    EXPECT_TRUE(left_alone->newer_functions);
    EXPECT_EQ(left_alone->functions, 0);
    EXPECT_EQ(ask("select plimsoll.lighthouse()"), "newer");
    EXPECT_EQ(ask("select version from plimsoll.schema_set"), std::to_string(kSchema.set + 1));
}

TEST_F(MigratorTest, ConcurrentMigrationsMakeOneSchema) {
    std::vector<std::future<Result<MigrationReport>>> started;
    for (int i = 0; i < 3; ++i)
        started.push_back(std::async(std::launch::async, [this] { return migrate(target_); }));
    int written = 0;
    for (auto& one : started) {
        auto report = one.get();
        ASSERT_TRUE(report) << report.error().message;
        written += report->functions;
    }
    EXPECT_EQ(written, static_cast<int>(kSchema.functions.size()));
}

TEST_F(MigratorTest, RefusesASchemaThatIsNewer) {
    ASSERT_TRUE(migrate(target_));
    ask("insert into plimsoll.schema_migration (version, name, sha256) "
        "values (9999, 'from_the_future', sha256('x'))");
    auto refused = migrate(target_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::conflict);
    EXPECT_NE(refused.error().message.find("9999"), std::string::npos);
}

TEST_F(MigratorTest, RefusesAChangedVersion) {
    ASSERT_TRUE(migrate(target_));
    ask("update plimsoll.schema_migration set sha256 = sha256('x') where version = 1");
    auto refused = migrate(target_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::conflict);
}

TEST_F(MigratorTest, ALaterVersionKeepsTheRows) {
    ASSERT_TRUE(migrate(target_));
    ask("insert into plimsoll.team (name) values ('crew')");
    std::vector versions(kSchema.versions.begin(), kSchema.versions.end());
    versions.push_back({kNewest + 1, "motto", kHash,
                        "set local role plimsoll_owner;"
                        "alter table plimsoll.team add column motto text;"
                        "update plimsoll.team set motto = name || ' sails on'"});
    auto upgraded =
        migrate(target_, {versions, kSchema.functions, kSchema.rights, kSchema.set + 1});
    ASSERT_TRUE(upgraded) << upgraded.error().message;
    EXPECT_EQ(upgraded->before, kNewest);
    EXPECT_EQ(upgraded->after, kNewest + 1);
    EXPECT_EQ(upgraded->functions, 0);
    EXPECT_EQ(ask("select motto from plimsoll.team"), "crew sails on");
    EXPECT_EQ(ask("select max(version) from plimsoll.schema_migration"),
              std::to_string(kNewest + 1));
}

TEST_F(MigratorTest, AFailingVersionLeavesNothingBehind) {
    const Version versions[] = {kSchema.versions[0],
                                {2, "broken", kHash, "create table half (a int); select 1 / 0;"}};
    auto failed = migrate(target_, {versions, kSchema.functions, kSchema.rights, kSchema.set});
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().message.find("broken"), std::string::npos);
    EXPECT_EQ(ask("select to_regclass('plimsoll.schema_migration') is null"), "t");
}

TEST_F(MigratorTest, AFailingFunctionLeavesNothingBehind) {
    ASSERT_TRUE(migrate(target_));
    std::vector versions(kSchema.versions.begin(), kSchema.versions.end());
    const auto known = std::to_string(versions.size());
    versions.push_back({versions.back().number + 1, "cargo", kHash,
                        "set local role plimsoll_owner; create table plimsoll.cargo (a int);"});
    const auto functions =
        functions_and({"lighthouse", kHash,
                       "create or replace function lighthouse() returns int language sql "
                       "return no_such_function();"});
    auto failed = migrate(target_, {versions, functions, kSchema.rights, kSchema.set});
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().message.find("lighthouse"), std::string::npos);
    EXPECT_EQ(ask("select to_regclass('plimsoll.cargo') is null"), "t");
    EXPECT_EQ(ask("select count(*) from plimsoll.schema_migration"), known);
}

TEST_F(MigratorTest, ReportsThatItCannotConnect) {
    auto refused = migrate({"host=/nowhere dbname=none", ""});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::unavailable);
    EXPECT_EQ(migrate({"host=", "it's"}).error().code, Errc::unavailable);
    EXPECT_EQ(migrate({"no=such=thing", ""}).error().code, Errc::invalid_input);
}

}  // namespace
}  // namespace plimsoll::postgres
