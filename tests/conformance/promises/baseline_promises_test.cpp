// Pinned reports.
#include "tests/conformance/promises/promises.hpp"

#include <string>

namespace plimsoll::conformance {
namespace {

class BaselinePromises : public Promises {
  protected:
    teams::BaselineStore& store() { return stores_->baselines(); }
    Author author() const { return {people_.team, people_.user, "req_1"}; }
    static teams::BaselineStore::NewBaseline of(JobId job, const std::string& key,
                                                const std::string& kind = "profile") {
        return {kind, key, job, R"({"mode": "engine"})"};
    }
};

PLIMSOLL_OVER_ALL_STORES(BaselinePromises);

TEST_P(BaselinePromises, OneReportIsPinnedAndOutlivesItsJob) {
    const auto first = submit();
    const auto second = submit();
    EXPECT_FALSE(must(store().find(people_.team, "profile", "engine on a GPU")));
    const auto made = must(store().pin(author(), of(first, "engine on a GPU")));
    EXPECT_EQ(made.job, first);
    EXPECT_EQ(made.pinned_by, kind_);
    const auto replaced = must(store().pin(author(), of(second, "engine on a GPU")));
    EXPECT_EQ(replaced.id, made.id) << "it takes the place of the one before";
    const auto all = must(store().list(people_.team));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].job, second);
    EXPECT_FALSE(must(store().find(people_.team, "waves", "engine on a GPU")));

    must(stores_->jobs().cancel(people_.team, people_.user, second));
    must(stores_->jobs().remove(people_.team, people_.user, second));
    const auto left = must(store().find(people_.team, "profile", "engine on a GPU"));
    ASSERT_TRUE(left);
    EXPECT_FALSE(left->baseline.job);
    EXPECT_EQ(left->summary, R"({"mode": "engine"})");

    must(store().remove(author(), left->baseline.id));
    EXPECT_EQ(code(store().remove(author(), left->baseline.id)), Errc::not_found);
}

TEST_P(BaselinePromises, ListsAreByKindAndComparisonKey) {
    const auto id = submit();
    for (const auto& [kind, key] : {std::pair{"waves", "a"}, {"profile", "b"}, {"profile", "a"}}) {
        must(store().pin(author(), of(id, key, kind)));
    }
    std::string order;
    for (const auto& one : must(store().list(people_.team))) {
        order += one.kind + " " + one.comparison_key + ", ";
    }
    EXPECT_EQ(order, "profile a, profile b, waves a, ");
}

TEST_P(BaselinePromises, AnotherTeamsBaselineLooksMissing) {
    const auto mine = must(store().pin(author(), of(submit(), "engine on a GPU")));
    const auto other = others();
    EXPECT_TRUE(must(store().list(other.team)).empty());
    EXPECT_FALSE(must(store().find(other.team, "profile", "engine on a GPU")));
    EXPECT_EQ(code(store().remove({other.team, other.user, ""}, mine.id)), Errc::not_found);
    EXPECT_EQ(must(store().list(people_.team)).size(), 1u);
}

TEST_P(BaselinePromises, ATeamAtItsLimitMayStillReplace) {
    const auto id = submit();
    for (int i = 0; i < teams::kBaselinesPerTeam; ++i) {
        must(store().pin(author(), of(id, "device " + std::to_string(i))));
    }
    EXPECT_EQ(code(store().pin(author(), of(id, "one too many"))), Errc::conflict);
    must(store().pin(author(), of(id, "device 1")));
}

}  // namespace
}  // namespace plimsoll::conformance
