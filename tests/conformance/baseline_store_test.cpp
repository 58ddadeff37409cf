#include "server/teams/baseline_store.hpp"

#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {
namespace {

using teams::BaselineStore;

class BaselineStoreTest : public StoreTest {
  protected:
    std::string audited(const std::string& action) const {
        return Cluster::get().execute("select count(*) from plimsoll.audit_event where action = '" +
                                      action +
                                      "' and team_id = " + std::to_string(people_.team.value));
    }
};

TEST_F(BaselineStoreTest, EveryPinAndRemovalIsAudited) {
    auto& store = stores_.baselines;
    const Author author{people_.team, people_.user, "req_1"};
    const auto job = must(stores_.jobs.submit(job_of(1))).id;
    const BaselineStore::NewBaseline wanted{"profile", "engine on a GPU", job, "{}"};
    must(store.pin(author, wanted));
    const auto id = must(store.pin(author, wanted)).id;
    must(store.remove(author, id));
    EXPECT_FALSE(run(store.remove(author, id)));
    EXPECT_EQ(audited("baseline.pin"), "2");
    EXPECT_EQ(audited("baseline.delete"), "1");
}

}  // namespace
}  // namespace plimsoll::conformance
