#include "server/teams/team_record_store.hpp"

#include "server/jobs/registry.hpp"
#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {
namespace {

using teams::TeamRecordStore;

class TeamRecordStoreTest : public StoreTest {
  protected:
    TeamRecordStore& store() { return stores_.records; }
    Author author() const { return {people_.team, people_.user, "req_1"}; }
    static jobs::TeamRecord of(std::string name) {
        jobs::TeamRecord record;
        record.name = std::move(name);
        record.data = "{}";
        return record;
    }
    // Its rows in the audit log: the action and, behind a space, the target.
    std::string audited() const {
        return Cluster::get().execute(
            "select string_agg(action || ' ' || target, ', ' order by id) from "
            "plimsoll.audit_event where action like 'kept.%' and team_id = " +
            std::to_string(people_.team.value));
    }
};

TEST_F(TeamRecordStoreTest, EveryCollectionOfAKindIsListed) {
    int collections = 0;
    for (const auto& kind : jobs::contracts()) {
        for (const auto& collection : kind.collections) {
            ++collections;
            EXPECT_TRUE(must(store().list(collection, people_.team, {.limit = 1})).empty());
        }
    }
    EXPECT_GT(collections, 0);
}

TEST_F(TeamRecordStoreTest, EveryWriteIsAuditedByNameNumberOrJob) {
    constexpr jobs::Collection kNamed{.name = "kept", .max = 1, .is_named = true};
    must(store().put(kNamed, author(), of("a")));
    EXPECT_FALSE(run(store().put(kNamed, author(), of("b"))));
    must(store().remove(kNamed, author(), "a"));
    EXPECT_FALSE(run(store().remove(kNamed, author(), "a")));
    EXPECT_EQ(audited(), "kept.put a, kept.delete a");

    constexpr jobs::Collection kNumbered{.name = "kept", .max = 1, .written = "create"};
    const auto number = must(store().put(kNumbered, author(), of(""))).id;
    must(store().remove(kNumbered, author(), number));
    auto pinned = of("engine on a GPU");
    pinned.job = must(stores_.jobs.submit(job_of(1))).id;
    const auto id = must(store().put(kNumbered, author(), pinned)).id;
    must(store().remove(kNumbered, author(), id));
    const auto job = std::to_string(pinned.job->value);
    EXPECT_EQ(audited(), "kept.put a, kept.delete a, kept.create " + number + ", kept.delete " +
                             number + ", kept.create " + job + ", kept.delete " + job);

    const auto before = audited();
    constexpr jobs::Collection kSilent{.name = "kept", .max = 1, .written = ""};
    must(store().put(kSilent, author(), of("c")));
    EXPECT_EQ(audited(), before);
}

TEST_F(TeamRecordStoreTest, AMembersOwnEndWithTheMembership) {
    constexpr jobs::Collection kOwn{.name = "kept", .max = 2, .of_members = true, .written = ""};
    const auto team = std::to_string(people_.team.value);
    const UserId leaver{std::stoll(Cluster::get().execute(
        "with made as (insert into plimsoll.app_user (name) values ('leaver of " + team +
        "') returning id) insert into plimsoll.membership (team_id, user_id, role) select " + team +
        ", id, 'member' from made returning user_id"))};
    must(store().put(kOwn, {people_.team, leaver, ""}, of("theirs")));
    must(store().put(kOwn, author(), of("mine")));
    Cluster::get().execute("delete from plimsoll.membership where user_id = " +
                           std::to_string(leaver.value));
    EXPECT_EQ(Cluster::get().execute("select string_agg(name, ' ') from plimsoll.team_record "
                                     "where team_id = " +
                                     team),
              "mine");
}

}  // namespace
}  // namespace plimsoll::conformance
