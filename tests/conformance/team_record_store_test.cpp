#include "server/queue/team_record_store.hpp"

#include "server/jobs/registry.hpp"
#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {
namespace {

using queue::TeamRecordStore;

class TeamRecordStoreTest : public StoreTest {
  protected:
    TeamRecordStore& store() { return server_.team_records(); }
    TeamRecordStore::Author author() const { return {people_.team, people_.user, "req_1"}; }
    static jobs::TeamRecord of(std::string id, std::string data) {
        jobs::TeamRecord record;
        record.id = std::move(id);
        record.data = std::move(data);
        return record;
    }
    std::string audited(const std::string& action) const {
        return Cluster::get().execute("select count(*) from plimsoll.audit_event where action = '" +
                                      action +
                                      "' and team_id = " + std::to_string(people_.team.value));
    }

    static constexpr jobs::Collection kNamed{"gpu_profile", 2, 2};
    static constexpr jobs::Collection kNumbered{"training_measurement", 2, 2};
    static std::string run_of(int bytes) {
        return R"({"comparison_key": "bert fp32", "predicted": {"peak_reserved_bytes": 1000},
                   "measured": {"peak_reserved_bytes": )" +
               std::to_string(bytes) + "}}";
    }
};

TEST_F(TeamRecordStoreTest, EveryCollectionOfAKindHasItsStatements) {
    int collections = 0;
    for (const auto& kind : jobs::contracts()) {
        for (const auto& collection : kind.collections) {
            ++collections;
            EXPECT_TRUE(must(store().list(collection, people_.team, {}, 1)).empty());
            EXPECT_EQ(run(store().remove(collection, author(), "1")).error().code, Errc::not_found);
        }
    }
    EXPECT_GT(collections, 0);
}

TEST_F(TeamRecordStoreTest, NamedOnesAreReplacedAndBounded) {
    must(store().put(kNamed, author(), of("b", R"({"n": 1})")));
    must(store().put(kNamed, author(), of("a", R"({"n": 2})")));
    const auto replaced = must(store().put(kNamed, author(), of("b", R"({"n": 3})")));
    EXPECT_EQ(replaced.id, "b");
    EXPECT_EQ(run(store().put(kNamed, author(), of("c", "{}"))).error().code, Errc::conflict);
    const auto all = must(store().list(kNamed, people_.team, {}, 10));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].id, "a");
    EXPECT_EQ(all[1].data, R"({"n": 3})");
    EXPECT_EQ(all[1].created_at, replaced.created_at);
    must(store().remove(kNamed, author(), "b"));
    EXPECT_EQ(run(store().remove(kNamed, author(), "b")).error().code, Errc::not_found);
    EXPECT_EQ(audited("gpu_profile.put"), "3");
    EXPECT_EQ(audited("gpu_profile.delete"), "1");
}

TEST_F(TeamRecordStoreTest, NumberedOnesComeNewestFirstAndTheOldestMakeRoom) {
    auto first = of("", run_of(1100));
    first.job = JobId{7};
    const auto made = must(store().put(kNumbered, author(), first));
    EXPECT_EQ(made.key, "bert fp32");
    ASSERT_EQ(must(store().list(kNumbered, people_.team, JobId{7}, 10)).size(), 1u);
    EXPECT_TRUE(must(store().list(kNumbered, people_.team, JobId{8}, 10)).empty());
    must(store().put(kNumbered, author(), of("", run_of(1200))));
    const auto last = must(store().put(kNumbered, author(), of("", run_of(1300))));
    const auto all = must(store().list(kNumbered, people_.team, {}, 10));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].id, last.id);
    EXPECT_EQ(all[0].data, run_of(1300));
    EXPECT_FALSE(all[0].job);
    EXPECT_EQ(must(store().list(kNumbered, people_.team, {}, 1)).size(), 1u);
    must(store().remove(kNumbered, author(), last.id));
    EXPECT_EQ(audited("training_measurement.create"), "3");
    EXPECT_EQ(audited("training_measurement.delete"), "1");
}

TEST_F(TeamRecordStoreTest, AnotherTeamsAreNotThere) {
    must(store().put(kNamed, author(), of("a", "{}")));
    const auto measured = must(store().put(kNumbered, author(), of("", run_of(1100))));
    const auto others = make_people("other-" + kind_);
    const TeamRecordStore::Author stranger{others.team, others.user, ""};
    for (const auto& [collection, id] :
         {std::pair{kNamed, std::string("a")}, {kNumbered, measured.id}}) {
        EXPECT_TRUE(must(store().list(collection, others.team, {}, 10)).empty());
        EXPECT_EQ(run(store().remove(collection, stranger, id)).error().code, Errc::not_found);
        EXPECT_EQ(must(store().list(collection, people_.team, {}, 10)).size(), 1u);
    }
    must(store().put(kNamed, stranger, of("a", R"({"n": 1})")));
    EXPECT_EQ(must(store().list(kNamed, people_.team, {}, 10))[0].data, "{}");
}

}  // namespace
}  // namespace plimsoll::conformance
