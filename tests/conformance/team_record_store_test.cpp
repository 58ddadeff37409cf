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

    static constexpr jobs::Collection kNamed{"gpu_profile", 1, 1};
    static constexpr jobs::Collection kNumbered{"training_measurement", 1, 1};
    static constexpr const char* kRun =
        R"({"comparison_key": "bert fp32", "predicted": {"peak_reserved_bytes": 1000},
            "measured": {"peak_reserved_bytes": 1100}})";
};

TEST_F(TeamRecordStoreTest, EveryCollectionOfAKindHasItsStatements) {
    int collections = 0;
    for (const auto& kind : jobs::contracts()) {
        for (const auto& collection : kind.collections) {
            ++collections;
            EXPECT_TRUE(must(store().list(collection, people_.team, {}, 1)).empty());
            if (collection.most == 0) continue;
            EXPECT_EQ(run(store().remove(collection, author(), "1")).error().code, Errc::not_found);
        }
    }
    EXPECT_GT(collections, 0);
}

TEST_F(TeamRecordStoreTest, EveryWriteIsAudited) {
    must(store().put(kNamed, author(), of("a", "{}")));
    EXPECT_FALSE(run(store().put(kNamed, author(), of("b", "{}"))));
    must(store().remove(kNamed, author(), "a"));
    EXPECT_FALSE(run(store().remove(kNamed, author(), "a")));
    EXPECT_EQ(audited("gpu_profile.put"), "1");
    EXPECT_EQ(audited("gpu_profile.delete"), "1");
    const auto made = must(store().put(kNumbered, author(), of("", kRun)));
    must(store().remove(kNumbered, author(), made.id));
    EXPECT_EQ(audited("training_measurement.create"), "1");
    EXPECT_EQ(audited("training_measurement.delete"), "1");
}

}  // namespace
}  // namespace plimsoll::conformance
