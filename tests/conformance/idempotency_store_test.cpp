#include "server/teams/idempotency_store.hpp"

#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {
namespace {

class IdempotencyStoreTest : public StoreTest {
  protected:
    teams::IdempotencyStore& store() { return stores_.idempotency; }
    const std::string one_ = std::string(32, '1');
    const std::string other_ = std::string(32, '2');
};

TEST_F(IdempotencyStoreTest, AKeyIsReservedOnceAndThenHasItsAnswer) {
    EXPECT_FALSE(must(store().reserve(people_.team, "k", one_)));
    EXPECT_EQ(run(store().reserve(people_.team, "k", one_)).error().code, Errc::cancelled);
    EXPECT_EQ(run(store().reserve(people_.team, "k", other_)).error().code, Errc::conflict);
    must(store().keep(people_.team, "k", {201, "/v1/things/1", R"({"id":1})"}));
    const auto kept = must(store().reserve(people_.team, "k", one_));
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->status, 201);
    EXPECT_EQ(kept->location, "/v1/things/1");
    EXPECT_EQ(kept->body, R"({"id":1})");
    EXPECT_EQ(run(store().reserve(people_.team, "k", other_)).error().code, Errc::conflict);
}

TEST_F(IdempotencyStoreTest, AnAnswerWithASecretHasNoBody) {
    EXPECT_FALSE(must(store().reserve(people_.team, "k", one_)));
    must(store().keep(people_.team, "k", {201, "", std::nullopt}));
    const auto kept = must(store().reserve(people_.team, "k", one_));
    ASSERT_TRUE(kept);
    EXPECT_FALSE(kept->body);
    EXPECT_EQ(kept->location, "");
}

TEST_F(IdempotencyStoreTest, ReleasedAndExpiredKeysAreNew) {
    EXPECT_FALSE(must(store().reserve(people_.team, "k", one_)));
    must(store().release(people_.team, "k"));
    EXPECT_FALSE(must(store().reserve(people_.team, "k", other_)));
    must(store().keep(people_.team, "k", {201, "/x", "{}"}));
    Cluster::get().execute(
        "update plimsoll.kept_answer set expires_at = clock_timestamp() where "
        "team_id = " +
        std::to_string(people_.team.value));
    EXPECT_FALSE(must(store().reserve(people_.team, "k", one_)));
    EXPECT_EQ(run(store().reserve(people_.team, "k", one_)).error().code, Errc::cancelled)
        << "the old answer is gone";
}

TEST_F(IdempotencyStoreTest, TeamsDoNotShareKeys) {
    EXPECT_FALSE(must(store().reserve(people_.team, "k", one_)));
    const auto stranger = make_people(kind_ + " other");
    EXPECT_FALSE(must(store().reserve(stranger.team, "k", other_)));
}

}  // namespace
}  // namespace plimsoll::conformance
