#include "server/queue/baseline_store.hpp"

#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {
namespace {

using queue::BaselineStore;

class BaselineStoreTest : public StoreTest {
  protected:
    BaselineStore& store() { return server_.baselines(); }
    Author author() const { return {people_.team, people_.user, "req_1"}; }
    static BaselineStore::NewBaseline of(JobId job, const std::string& comparison_key) {
        return {"profile", comparison_key, job, R"({"mode": "engine"})"};
    }
    std::string audited(const std::string& action) const {
        return Cluster::get().execute("select count(*) from plimsoll.audit_event where action = '" +
                                      action +
                                      "' and team_id = " + std::to_string(people_.team.value));
    }
};

TEST_F(BaselineStoreTest, AComparisonKeyHasOneBaselineWhoseNumbersOutliveItsJob) {
    const auto first = must(server_.jobs().submit(job_of(1))).id;
    const auto second = must(server_.jobs().submit(job_of(1))).id;
    EXPECT_FALSE(must(store().find(people_.team, "profile", "engine on a GPU")));
    const auto made = must(store().pin(author(), of(first, "engine on a GPU")));
    EXPECT_EQ(made.job, first);
    EXPECT_FALSE(made.pinned_by.empty());
    must(store().pin(author(), of(second, "engine on a GPU")));
    const auto all = must(store().list(people_.team));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].job, second);
    EXPECT_FALSE(must(store().find(people_.team, "waves", "engine on a GPU")));

    // As retention drops the day.
    Cluster::get().execute("delete from plimsoll.job where id = " + std::to_string(second.value));
    const auto left = must(store().find(people_.team, "profile", "engine on a GPU"));
    ASSERT_TRUE(left);
    EXPECT_FALSE(left->baseline.job);
    EXPECT_EQ(left->summary, R"({"mode": "engine"})");

    must(store().remove(author(), left->baseline.id));
    EXPECT_EQ(run(store().remove(author(), left->baseline.id)).error().code, Errc::not_found);
    EXPECT_EQ(audited("baseline.pin"), "2");
    EXPECT_EQ(audited("baseline.delete"), "1");
}

TEST_F(BaselineStoreTest, AnotherTeamsAreNotThere) {
    const auto job = must(server_.jobs().submit(job_of(1))).id;
    const auto mine = must(store().pin(author(), of(job, "engine on a GPU")));
    const auto others = make_people("other-" + kind_);
    EXPECT_TRUE(must(store().list(others.team)).empty());
    EXPECT_FALSE(must(store().find(others.team, "profile", "engine on a GPU")));
    EXPECT_EQ(run(store().remove({others.team, others.user, ""}, mine.id)).error().code,
              Errc::not_found);
    EXPECT_EQ(must(store().list(people_.team)).size(), 1u);
}

TEST_F(BaselineStoreTest, ATeamHasSoManyAndReplacesThemStill) {
    const auto job = must(server_.jobs().submit(job_of(1))).id;
    const auto most = std::to_string(queue::kBaselinesPerTeam - 1);
    Cluster::get().execute(
        "insert into plimsoll.report_baseline (team_id, kind, comparison_key, job_id, summary, "
        "user_id) "
        "select " +
        std::to_string(people_.team.value) + ", 'profile', 'device ' || n, 1, '{}', " +
        std::to_string(people_.user.value) + " from generate_series(1, " + most + ") n");
    must(store().pin(author(), of(job, "the last")));
    EXPECT_EQ(run(store().pin(author(), of(job, "one too many"))).error().code, Errc::conflict);
    must(store().pin(author(), of(job, "device 1")));
}

}  // namespace
}  // namespace plimsoll::conformance
