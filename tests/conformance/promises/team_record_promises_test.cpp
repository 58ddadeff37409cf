// What teams and their members keep, in collections whose records have names or numbers.
#include "tests/conformance/store_test.hpp"

#include <string>

namespace plimsoll::conformance {
namespace {

class TeamRecordPromises : public StoreTest {
  protected:
    teams::TeamRecordStore& store() { return stores_.records; }
    Author author() const { return {people_.team, people_.user, "req_1"}; }
    static jobs::TeamRecord of(std::string name, std::string data = "{}",
                               std::string section = "") {
        jobs::TeamRecord record;
        record.section = std::move(section);
        record.name = std::move(name);
        record.data = std::move(data);
        return record;
    }
    static std::string names(const std::vector<jobs::TeamRecord>& records) {
        std::string all;
        for (const auto& one : records) all += one.section + " " + one.name + ", ";
        return all;
    }

    static constexpr jobs::Collection kNamed{
        .name = "gpu_profile", .plural = "GPU profiles", .max = 2, .is_named = true};
    static constexpr jobs::Collection kNumbered{.name = "training_measurement", .max = 2};
    static constexpr jobs::Collection kPinned{.name = "baseline", .max = 3, .has_origins = true};
    static constexpr jobs::Collection kOwn{.name = "saved_view", .max = 2, .of_members = true};
};

TEST_F(TeamRecordPromises, NamedRecordsAreReplacedAndLimited) {
    must(store().put(kNamed, author(), of("b", R"({"n": 1})")));
    must(store().put(kNamed, author(), of("a", R"({"n": 2})")));
    const auto replaced = must(store().put(kNamed, author(), of("b", R"({"n": 3})")));
    EXPECT_EQ(replaced.id, "b");
    EXPECT_EQ(code(store().put(kNamed, author(), of("c"))), Errc::conflict);
    const auto all = must(store().list(kNamed, people_.team));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].id, "a");
    EXPECT_EQ(all[1].name, "b");
    EXPECT_EQ(all[1].data, R"({"n": 3})");
    EXPECT_EQ(all[1].updated_at, replaced.updated_at);
    EXPECT_LE(all[1].created_at, all[1].updated_at);
    must(store().remove(kNamed, author(), "b"));
    EXPECT_EQ(code(store().remove(kNamed, author(), "b")), Errc::not_found);
}

TEST_F(TeamRecordPromises, NumberedRecordsAreNewestFirstAndTheOldestMakeRoom) {
    auto first = of("", R"({"n": 1})", "b");
    first.job = JobId{7};
    must(store().put(kNumbered, author(), first));
    EXPECT_EQ(must(store().list(kNumbered, people_.team, {.job = JobId{7}})).size(), 1u);
    EXPECT_TRUE(must(store().list(kNumbered, people_.team, {.job = JobId{8}})).empty());
    must(store().put(kNumbered, author(), of("", R"({"n": 2})", "a")));
    const auto last = must(store().put(kNumbered, author(), of("", R"({"n": 3})", "b")));
    const auto all = must(store().list(kNumbered, people_.team));
    EXPECT_EQ(names(all), "b , a , ");
    EXPECT_EQ(all[0].id, last.id);
    EXPECT_EQ(all[0].data, R"({"n": 3})");
    EXPECT_FALSE(all[0].job);
    EXPECT_EQ(must(store().list(kNumbered, people_.team, {.limit = 1})).size(), 1u);
    must(store().remove(kNumbered, author(), last.id));
    EXPECT_EQ(must(store().list(kNumbered, people_.team)).size(), 1u);
}

TEST_F(TeamRecordPromises, ARecordOfAReportOutlivesTheJob) {
    const auto first = submit();
    const auto second = submit();
    auto pinned = of("engine on a GPU", R"({"mode": "engine"})", "profile");
    pinned.job = first;
    const auto made = must(store().put(kPinned, author(), pinned));
    EXPECT_EQ(made.author, kind_);
    pinned.job = second;
    EXPECT_EQ(must(store().put(kPinned, author(), pinned)).id, made.id)
        << "it takes the place of the one before";
    EXPECT_TRUE(must(store().list(kPinned, people_.team, {.section = "waves"})).empty());
    auto all = must(store().list(kPinned, people_.team, {.with_data = false}));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].job, second);
    EXPECT_EQ(all[0].author, kind_);
    EXPECT_EQ(all[0].data, "");

    must(stores_.jobs.cancel(people_.team, people_.user, second));
    must(stores_.jobs.remove(people_.team, people_.user, second));
    all = must(
        store().list(kPinned, people_.team, {.section = "profile", .name = "engine on a GPU"}));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_FALSE(all[0].job);
    EXPECT_EQ(all[0].data, R"({"mode": "engine"})");
    must(store().remove(kPinned, author(), made.id));
    EXPECT_EQ(code(store().remove(kPinned, author(), made.id)), Errc::not_found);
}

TEST_F(TeamRecordPromises, ListsAreBySectionAndName) {
    const auto job = submit();
    for (const auto& [section, name] :
         {std::pair{"waves", "a"}, {"profile", "b"}, {"profile", "a"}}) {
        auto record = of(name, "{}", section);
        record.job = job;
        must(store().put(kPinned, author(), record));
    }
    EXPECT_EQ(names(must(store().list(kPinned, people_.team))), "profile a, profile b, waves a, ");
}

TEST_F(TeamRecordPromises, AMembersOwnIsNobodyElses) {
    must(store().put(kOwn, author(), of("failed", "1", "jobs")));
    const auto mine = must(store().put(kOwn, author(), of("failed", "2", "jobs")));
    const auto seen = must(store().list(kOwn, people_.team, {.member = people_.user}));
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].data, "2");
    const auto other = others().user;
    EXPECT_TRUE(must(store().list(kOwn, people_.team, {.member = other})).empty());
    EXPECT_EQ(code(store().remove(kOwn, {people_.team, other, ""}, mine.id)), Errc::not_found);
    must(store().put(kOwn, author(), of("failed", "1", "queue")));
    EXPECT_EQ(code(store().put(kOwn, author(), of("third", "1", "jobs"))), Errc::conflict);
    must(store().remove(kOwn, author(), mine.id));
}

TEST_F(TeamRecordPromises, AnotherTeamsRecordLooksMissing) {
    must(store().put(kNamed, author(), of("a")));
    const auto measured = must(store().put(kNumbered, author(), of("")));
    const auto other = others();
    const Author theirs{other.team, other.user, ""};
    for (const auto& [collection, id] :
         {std::pair{kNamed, std::string("a")}, {kNumbered, measured.id}}) {
        EXPECT_TRUE(must(store().list(collection, other.team)).empty());
        EXPECT_EQ(code(store().remove(collection, theirs, id)), Errc::not_found);
        EXPECT_EQ(must(store().list(collection, people_.team)).size(), 1u);
    }
    must(store().put(kNamed, theirs, of("a", R"({"n": 1})")));
    EXPECT_EQ(must(store().list(kNamed, people_.team))[0].data, "{}");
}

}  // namespace
}  // namespace plimsoll::conformance
