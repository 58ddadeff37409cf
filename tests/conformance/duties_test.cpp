#include "server/postgres/workers/duties.hpp"

#include "tests/conformance/store_test.hpp"

#include <map>

namespace plimsoll::conformance {
namespace {

class DutiesTest : public StoreTest {};

TEST_F(DutiesTest, EveryDutyRunsAgainstTheSchema) {
    std::map<std::string, int> done;
    background_.duties.start({}, [&](std::string_view duty, const Result<int>& result) {
        ASSERT_TRUE(result) << duty << ": " << result.error().message;
        ++done[std::string(duty)];
    });
    run_until([&] { return done.size() == 17; });
    background_.duties.stop();
}

TEST_F(DutiesTest, ADeadWorkersTasksRunAgain) {
    must(stores_.jobs.submit(job_of(1)));
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    ASSERT_EQ(claim(worker).tasks.size(), 1u);
    age(worker);
    // Other tests leave silent workers too: the duty is through when it finds none.
    bool expired = false;
    background_.duties.start({}, [&](std::string_view duty, const Result<int>& result) {
        expired = expired || (duty == "expire_leases" && result && *result == 0);
    });
    run_until([&] { return expired; });
    background_.duties.stop();
    WorkerProcess other(io_, kind_, "cpu", "cpu:1");
    EXPECT_EQ(claim(other).tasks.size(), 1u);
}

TEST_F(DutiesTest, OldDaysAreDropped) {
    Cluster::get().execute("select plimsoll.ensure_partitions(0, '2001-01-01 12:00Z')");
    const char* const there = "select to_regclass('plimsoll.job_11323') is not null";
    ASSERT_EQ(Cluster::get().execute(there), "t");
    while (must(background_.duties.run("drop_old_days")) > 0) {
    }
    EXPECT_EQ(Cluster::get().execute(there), "f");
}

// However it ended: a session by its time, by signing out or with its token, a link by its time or
// by being used.
TEST_F(DutiesTest, EndedJobsAreDeletedAfterTheirDays) {
    const auto owner =
        std::to_string(people_.team.value) + ", " + std::to_string(people_.user.value);
    const auto token = Cluster::get().execute(
        "insert into plimsoll.token (team_id, user_id, name, hash, hint, scopes, revoked_at) "
        "values (" +
        owner + ", 'old', sha256('" + kind_ +
        "'), 'plm', '{jobs:read}', clock_timestamp() - interval '31 days') returning id");
    const auto session = [&](const std::string& name, const std::string& columns,
                             const std::string& values) {
        Cluster::get().execute("insert into plimsoll.session (team_id, user_id, csrf, hash" +
                               columns + ") values (" + owner + ", '" + name + "', sha256('" +
                               name + kind_ + "')" + values + ")");
    };
    const std::string day_31 = ", clock_timestamp() - interval '31 days'";
    const std::string day_29 = ", clock_timestamp() - interval '29 days'";
    const std::string later = ", clock_timestamp() + interval '5 days'";
    session("open", ", expires_at", later);
    session("over", ", expires_at", day_31);
    session("lately over", ", expires_at", day_29);
    session("signed out", ", expires_at, ended_at", later + day_31);
    session("lately signed out", ", expires_at, ended_at", later + day_29);
    session("of a revoked token", ", expires_at, token_id", later + ", " + token);
    const auto link = [&](const std::string& name, const std::string& times) {
        Cluster::get().execute(
            "insert into plimsoll.sign_in_link (team_id, user_id, hash, expires_at, spent_at) "
            "values (" +
            owner + ", sha256('" + name + kind_ + "')" + times + ")");
    };
    link("unused", day_31 + ", null");
    link("used", later + day_31);
    link("lately used", later + day_29);

    must(background_.duties.run("forget_ended"));
    EXPECT_EQ(Cluster::get().execute("select string_agg(csrf, ', ' order by id) from "
                                     "plimsoll.session where user_id = " +
                                     std::to_string(people_.user.value)),
              "open, lately over, lately signed out");
    EXPECT_EQ(Cluster::get().execute("select count(*) from plimsoll.sign_in_link where user_id = " +
                                     std::to_string(people_.user.value)),
              "1");
}

}  // namespace
}  // namespace plimsoll::conformance
