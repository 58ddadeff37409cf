#include "server/postgres/driver/connection.hpp"
#include "tests/conformance/cluster/cluster.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace plimsoll::postgres {
namespace {

using namespace std::chrono_literals;
using conformance::await;
using conformance::Cluster;

constexpr Query kTwice{"test.twice", "select 2 * $1::int n", "plimsoll.test.twice"};
constexpr Query kBroken{"test.broken", "select n from no_such_table", "plimsoll.test.broken"};
constexpr Query kRefused{"test.refused", "select 1 / $1::int n", "plimsoll.test.refused"};

class PreparedStatementTest : public testing::Test {
  protected:
    void SetUp() override {
        auto handle = await(io_, connect(Cluster::get().superuser(), soon()));
        ASSERT_TRUE(handle) << handle.error().message;
        connection_ = Connection::over(io_.get_executor(), std::move(*handle), [](const Error&) {});
    }

    static Deadline soon() { return std::chrono::steady_clock::now() + 10min; }

    Result<Replies> run(Batch batch) {
        return await(io_, connection_->run(std::move(batch), soon()));
    }

    Result<int> number(const Query& query, int argument) {
        auto replies = run({Statement::of(query, argument)});
        if (!replies) return fail(replies.error());
        return (*replies)[0][0].get<int>("n");
    }

    std::int64_t prepared() {
        const auto replies =
            run({Statement::of(Query{"test", "select count(*) from pg_prepared_statements"})});
        return (*replies)[0][0].get<std::int64_t>(0);
    }

    asio::io_context io_;
    std::shared_ptr<Connection> connection_;
};

TEST_F(PreparedStatementTest, IsParsedOnceInASession) {
    for (const int n : {1, 2, 3}) EXPECT_EQ(number(kTwice, n), 2 * n);
    EXPECT_EQ(prepared(), 1);
    // Also where several of a batch are new.
    const auto replies = run({Statement::of(kTwice, 4), Statement::of(kRefused, 1)});
    ASSERT_TRUE(replies) << replies.error().message;
    EXPECT_EQ((*replies)[1][0].get<int>("n"), 1);
    EXPECT_EQ(prepared(), 2);
}

TEST_F(PreparedStatementTest, SurvivesABatchThatFails) {
    const auto refused = run({Statement::of(kRefused, 0), Statement::of(kTwice, 1)});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::invalid_input);
    EXPECT_EQ(number(kTwice, 2), 4);
    EXPECT_EQ(prepared(), 2);
}

TEST_F(PreparedStatementTest, ReportsItsOwnError) {
    for (int i = 0; i < 2; ++i) {
        const auto replies = run({Statement::of(kBroken)});
        ASSERT_FALSE(replies);
        EXPECT_EQ(replies.error().code, Errc::internal);
        EXPECT_NE(replies.error().message.find("no_such_table"), std::string::npos)
            << replies.error().message;
    }
    EXPECT_EQ(number(kTwice, 3), 6);
}

// What a proxy that hands out sessions by the transaction does.
TEST_F(PreparedStatementTest, IsNotUsedIfTheSessionChanges) {
    EXPECT_EQ(number(kTwice, 1), 2);
    ASSERT_TRUE(run({Statement::of(Query{"test", "deallocate all"})}));
    const auto lost = number(kTwice, 1);
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, Errc::unavailable);
    EXPECT_EQ(number(kTwice, 2), 4);
    EXPECT_EQ(prepared(), 0);
}

TEST_F(PreparedStatementTest, IsNotUsedIfOtherClientsShareTheSession) {
    ASSERT_TRUE(run({Statement::of(
        Query{"test", "prepare \"plimsoll.test.twice\"(int) as select 2 * $1::int n"})}));
    const auto taken = number(kTwice, 1);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, Errc::unavailable);
    EXPECT_EQ(number(kTwice, 2), 4);
}

}  // namespace
}  // namespace plimsoll::postgres
