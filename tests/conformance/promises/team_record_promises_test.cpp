// What teams keep for job kinds, in collections whose records have names or numbers.
#include "tests/conformance/promises/promises.hpp"

#include <string>

namespace plimsoll::conformance {
namespace {

class TeamRecordPromises : public Promises {
  protected:
    teams::TeamRecordStore& store() { return stores_->team_records(); }
    Author author() const { return {people_.team, people_.user, "req_1"}; }
    static jobs::TeamRecord of(std::string id, std::string data) {
        jobs::TeamRecord record;
        record.id = std::move(id);
        record.data = std::move(data);
        return record;
    }
    static std::string run_of(int bytes) {
        return R"({"comparison_key": "bert fp32", "predicted": {"peak_reserved_bytes": 1000},
                   "measured": {"peak_reserved_bytes": )" +
               std::to_string(bytes) + "}}";
    }

    static constexpr jobs::Collection kNamed{"gpu_profile", 2, 2};
    static constexpr jobs::Collection kNumbered{"training_measurement", 2, 2};
};

PLIMSOLL_OVER_ALL_STORES(TeamRecordPromises);

TEST_P(TeamRecordPromises, NamedRecordsAreReplacedAndLimited) {
    must(store().put(kNamed, author(), of("b", R"({"n": 1})")));
    must(store().put(kNamed, author(), of("a", R"({"n": 2})")));
    const auto replaced = must(store().put(kNamed, author(), of("b", R"({"n": 3})")));
    EXPECT_EQ(replaced.id, "b");
    EXPECT_EQ(code(store().put(kNamed, author(), of("c", "{}"))), Errc::conflict);
    const auto all = must(store().list(kNamed, people_.team, {}, 10));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].id, "a");
    EXPECT_EQ(all[1].key, replaced.key);
    EXPECT_EQ(all[1].data, R"({"n": 3})");
    EXPECT_EQ(all[1].created_at, replaced.created_at);
    must(store().remove(kNamed, author(), "b"));
    EXPECT_EQ(code(store().remove(kNamed, author(), "b")), Errc::not_found);
}

TEST_P(TeamRecordPromises, NumberedRecordsAreNewestFirstAndTheOldestMakeRoom) {
    auto first = of("", run_of(1100));
    first.job = JobId{7};
    EXPECT_EQ(must(store().put(kNumbered, author(), first)).key, "bert fp32");
    EXPECT_EQ(must(store().list(kNumbered, people_.team, JobId{7}, 10)).size(), 1u);
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
    EXPECT_EQ(must(store().list(kNumbered, people_.team, {}, 10)).size(), 1u);
}

TEST_P(TeamRecordPromises, AnotherTeamsRecordLooksMissing) {
    must(store().put(kNamed, author(), of("a", "{}")));
    const auto measured = must(store().put(kNumbered, author(), of("", run_of(1100))));
    const auto other = others();
    const Author theirs{other.team, other.user, ""};
    for (const auto& [collection, id] :
         {std::pair{kNamed, std::string("a")}, {kNumbered, measured.id}}) {
        EXPECT_TRUE(must(store().list(collection, other.team, {}, 10)).empty());
        EXPECT_EQ(code(store().remove(collection, theirs, id)), Errc::not_found);
        EXPECT_EQ(must(store().list(collection, people_.team, {}, 10)).size(), 1u);
    }
    must(store().put(kNamed, theirs, of("a", R"({"n": 1})")));
    EXPECT_EQ(must(store().list(kNamed, people_.team, {}, 10))[0].data, "{}");
}

}  // namespace
}  // namespace plimsoll::conformance
