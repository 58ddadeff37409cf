#include "server/postgres/driver/connection.hpp"

#include "server/postgres/cluster/embedded_settings.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "tests/conformance/cluster/cluster.hpp"

#include <chrono>
#include <limits>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <gtest/gtest.h>

namespace plimsoll::postgres {
namespace {

using namespace std::chrono_literals;
using conformance::await;
using conformance::Cluster;
using conformance::plain;

class ConnectionTest : public testing::Test {
  protected:
    void SetUp() override {
        auto handle = await(io_, connect(Cluster::get().superuser(), soon()));
        ASSERT_TRUE(handle) << handle.error().message;
        connection_ = Connection::over(io_.get_executor(), std::move(*handle),
                                       [this](const Error& reason) { lost_ = reason; });
    }

    static Deadline soon() { return std::chrono::steady_clock::now() + 10min; }

    Result<Replies> run(Batch batch) {
        return await(io_, connection_->run(std::move(batch), soon()));
    }

    template <class... Values>
    Result<Replies> run(const char* sql, Values&&... values) {
        Batch batch;
        batch.push_back(Statement::of(Query{"test", sql}, std::forward<Values>(values)...));
        return run(std::move(batch));
    }

    asio::io_context io_;
    std::shared_ptr<Connection> connection_;
    std::optional<Error> lost_;
};

TEST_F(ConnectionTest, ScalarsRoundTrip) {
    const Timestamp time = std::chrono::sys_days{std::chrono::year{2031} / 5 / 17} + 123456us;
    const std::string bytes("\0\xff\\ ' \n", 7);
    auto replies = run(
        "select $1::bigint a, $2::smallint b, $3::float8 c, $4::bool d, $5::text e, $6::bytea f, "
        "$7::timestamptz g, $8::text h, $9::jsonb i, $10::real j, 'infinity'::timestamptz k",
        std::numeric_limits<std::int64_t>::min(), -7, 0.1, true, "dé\"\\", Bytes{bytes}, time,
        std::optional<std::string>(), R"({"a": [1, 2]})", 0.5);
    ASSERT_TRUE(replies) << replies.error().message;
    const Row row = replies->front()[0];
    EXPECT_EQ(row.get<std::int64_t>("a"), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(row.get<int>("b"), -7);
    EXPECT_EQ(row.get<double>("c"), 0.1);
    EXPECT_TRUE(row.get<bool>("d"));
    EXPECT_EQ(row.get<std::string>("e"), "dé\"\\");
    EXPECT_EQ(row.get<std::string>("f"), bytes);
    EXPECT_EQ(row.get<Timestamp>("g"), time);
    EXPECT_EQ(row.get<std::optional<std::string>>("h"), std::nullopt);
    EXPECT_EQ(row.get<std::string>("i"), R"({"a": [1, 2]})");
    EXPECT_EQ(row.get<double>("j"), 0.5);
    EXPECT_EQ(row.get<Timestamp>("k"), Timestamp::max());
    EXPECT_THROW(row.get<std::string>("h"), std::logic_error);
    EXPECT_THROW(row.get<int>("e"), std::logic_error);
    EXPECT_THROW(row.get<int>("nothing"), std::logic_error);
}

// That the answer waits for the disk shows only a crash: tests/integration/queue/crash_test.py.
TEST_F(ConnectionTest, ASubmitCommitsBeforeTheDiskHasIt) {
    const Statement setting =
        Statement::of(Query{"test", "select current_setting('synchronous_commit') setting"});
    const auto replies = run({in_teams({1}, {}), setting, on_disk()});
    ASSERT_TRUE(replies) << replies.error().message;
    EXPECT_EQ((*replies)[1][0].get<std::string>("setting"), "off");
    EXPECT_EQ((*replies)[2].size(), 1);
    EXPECT_EQ(run({setting})->front()[0].get<std::string>("setting"), "on");
}

TEST_F(ConnectionTest, TransactionsOfABatchCommitOneByOne) {
    const auto say = [](const char* sql, bool begins) {
        return Statement{Query{"test", sql}, {}, begins};
    };
    ASSERT_TRUE(run({say("create temp table kept (n int)", false)}));
    const auto both = run({say("insert into kept values (1) returning n", false),
                           say("select txid_current_if_assigned() is null fresh", true)});
    ASSERT_TRUE(both) << both.error().message;
    ASSERT_EQ(both->size(), 2u);
    EXPECT_TRUE(both->back()[0].get<bool>("fresh")) << "the first one is over";
    // The failure is the answer, and what is committed stays.
    const auto broken = run({say("insert into kept values (2)", false), say("select 1 / 0", true),
                             say("insert into kept values (3)", true)});
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, Errc::invalid_input);
    const auto kept = run("select array_agg(n order by n)::bigint[] numbers from kept");
    ASSERT_TRUE(kept) << "the connection goes on";
    EXPECT_EQ(kept->front()[0].get<std::vector<std::int64_t>>("numbers"),
              (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(ConnectionTest, ATextWithNulIsRefusedAndNotCut) {
    const std::string text("a\0b", 3);
    for (const auto& refused :
         {run("select $1::text a", text), run("select $1::text[] a", std::vector{text}),
          run("select $1::text[] a", std::vector{std::optional(text)})}) {
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::invalid_input);
        EXPECT_EQ(refused.error().message, "A text contains U+0000.");
    }
    const auto kept = run("select $1::bytea a, $2::json b", Bytes{text}, R"({"a": "\u0000"})");
    ASSERT_TRUE(kept) << "the connection goes on";
    EXPECT_EQ(kept->front()[0].get<std::string>("a"), text);
}

TEST_F(ConnectionTest, ArraysRoundTrip) {
    const std::vector<std::string> texts = {"", "NULL", "a,b", "{\"q\"}", "back\\slash"};
    const std::vector<Bytes> bytes = {{std::string("\0\1", 2)}, {""}};
    const Timestamp time{1us};
    auto replies = run(
        "select $1::bigint[] a, $2::text[] b, $3::bytea[] c, $4::text[] d, $5::timestamptz[] e, "
        "$6::bigint[] f, $7::bytea[] g, $8::float8[] h",
        std::vector<std::int64_t>{1, -2}, texts, bytes,
        std::vector<std::optional<std::string>>{"x", std::nullopt},
        std::vector<std::optional<Timestamp>>{std::nullopt, time}, std::vector<std::int64_t>{},
        std::vector<Bytes>{}, std::vector<double>{0.1, -1e300});
    ASSERT_TRUE(replies) << replies.error().message;
    const Row row = replies->front()[0];
    EXPECT_EQ(row.get<std::vector<std::int64_t>>("a"), (std::vector<std::int64_t>{1, -2}));
    EXPECT_EQ(row.get<std::vector<std::string>>("b"), texts);
    EXPECT_EQ(row.get<std::vector<std::string>>("c"),
              (std::vector<std::string>{std::string("\0\1", 2), ""}));
    using OptionalTexts = std::vector<std::optional<std::string>>;
    EXPECT_EQ(row.get<OptionalTexts>("d"), (OptionalTexts{"x", std::nullopt}));
    using OptionalTimes = std::vector<std::optional<Timestamp>>;
    EXPECT_EQ(row.get<OptionalTimes>("e"), (OptionalTimes{std::nullopt, time}));
    EXPECT_TRUE(row.get<std::vector<std::int64_t>>("f").empty());
    EXPECT_TRUE(row.get<std::vector<std::string>>("g").empty());
    EXPECT_EQ(row.get<std::vector<double>>("h"), (std::vector<double>{0.1, -1e300}));
}

TEST_F(ConnectionTest, ABatchIsOneTransaction) {
    ASSERT_TRUE(run("create temporary table t (a int check (a > 0))"));
    Batch batch;
    batch.push_back(plain("insert into t values (1)"));
    batch.push_back(plain("insert into t values (-1)"));
    batch.push_back(plain("insert into t values (2)"));
    auto failed = run(std::move(batch));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, Errc::invalid_input);
    auto count = run("select count(*) n from t");
    ASSERT_TRUE(count) << count.error().message;
    EXPECT_EQ(count->front()[0].get<int>("n"), 0);
}

TEST_F(ConnectionTest, AFullDiskIsReported) {
    const auto failed = run("do $$ begin raise exception 'no' using errcode = '53100'; end $$");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, Errc::unavailable);
    EXPECT_EQ(failed.error().message, "The disk of the database is full.");
}

TEST_F(ConnectionTest, SettingsEndWithTheBatch) {
    Batch batch;
    batch.push_back(plain("select set_config('app.team_id', '7', true)"));
    batch.push_back(plain("select current_setting('app.team_id', true) v"));
    auto inside = run(std::move(batch));
    ASSERT_TRUE(inside);
    EXPECT_EQ(inside->back()[0].get<std::string>("v"), "7");
    auto after = run("select nullif(current_setting('app.team_id', true), '') v");
    ASSERT_TRUE(after);
    EXPECT_EQ(after->front()[0].get<std::optional<std::string>>("v"), std::nullopt);
}

TEST_F(ConnectionTest, AFailureOfTheCommitReachesTheCaller) {
    ASSERT_TRUE(run("create temporary table u (a int unique deferrable initially deferred)"));
    auto failed = run("insert into u values (1), (1)");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, Errc::conflict);
    EXPECT_TRUE(run("insert into u values (1)"));
}

TEST_F(ConnectionTest, CallersShareTheConnectionAndKeepTheirAnswers) {
    int right = 0;
    int refused = 0;
    for (int i = 0; i < 500; ++i) {
        Batch batch;
        // Every fifth caller fails, which must not touch its neighbours.
        batch.push_back(Statement::of(Query{"test", "select 10 / ($1::int % 5) + $1::int v"}, i));
        asio::co_spawn(io_, connection_->run(std::move(batch), soon()),
                       [&, i](std::exception_ptr, Result<Replies> replies) {
                           if (i % 5 == 0)
                               refused += !replies && replies.error().code == Errc::invalid_input;
                           else
                               right +=
                                   replies && replies->front()[0].get<int>("v") == 10 / (i % 5) + i;
                       });
    }
    while (right + refused < 500 && io_.run_one()) {
    }
    EXPECT_EQ(right, 400);
    EXPECT_EQ(refused, 100);
}

TEST_F(ConnectionTest, LargeValuesTravelInBothDirectionsAtOnce) {
    const std::string large(16 << 20, 'x');
    int answered = 0;
    int right = 0;
    for (int i = 0; i < 4; ++i) {
        Batch batch;
        batch.push_back(Statement::of(Query{"test", "select $1::bytea v"}, Bytes{large}));
        asio::co_spawn(io_, connection_->run(std::move(batch), soon()),
                       [&](std::exception_ptr, Result<Replies> replies) {
                           ++answered;
                           right += replies && replies->front()[0].get<std::string>(0) == large;
                       });
    }
    while (answered < 4 && io_.run_one()) {
    }
    EXPECT_EQ(right, 4);
}

TEST_F(ConnectionTest, ADeadlineAbandonsTheConnection) {
    Batch slow;
    slow.push_back(plain("select pg_sleep(600)"));
    std::optional<Result<Replies>> behind;
    Batch next;
    next.push_back(plain("select 1"));
    asio::co_spawn(io_, connection_->run(std::move(slow), std::chrono::steady_clock::now() + 100ms),
                   [&](std::exception_ptr, Result<Replies> replies) {
                       ASSERT_FALSE(replies);
                       EXPECT_EQ(replies.error().code, Errc::timeout);
                   });
    auto waiting = await(io_, connection_->run(std::move(next), soon()));
    ASSERT_FALSE(waiting);
    EXPECT_EQ(waiting.error().code, Errc::unavailable);
    EXPECT_FALSE(connection_->is_open());
    ASSERT_TRUE(lost_);
    EXPECT_EQ(lost_->code, Errc::timeout);
}

TEST_F(ConnectionTest, ACancelledCallerLeavesAndTheNextIsServed) {
    asio::cancellation_signal signal;
    bool left = false;
    conformance::HeldLock lock;
    Batch slow;
    slow.push_back(plain(lock.wait_for_it));
    asio::co_spawn(io_, connection_->run(std::move(slow), soon()),
                   asio::bind_cancellation_slot(
                       signal.slot(), [&](std::exception_ptr thrown, Result<Replies> replies) {
                           left = thrown != nullptr ||
                                  (!replies && replies.error().code == Errc::cancelled);
                       }));
    io_.poll();
    signal.emit(asio::cancellation_type::terminal);
    lock.release();
    auto next = run("select 5 v");
    EXPECT_TRUE(left);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->front()[0].get<int>("v"), 5);
}

TEST_F(ConnectionTest, TheEndOfAnIdleConnectionIsDetected) {
    Cluster::get().end_sessions(kEmbeddedSuperuser);
    io_.restart();
    while (!lost_ && io_.run_one()) {
    }
    ASSERT_TRUE(lost_);
    auto refused = run("select 1");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::unavailable);
}

}  // namespace
}  // namespace plimsoll::postgres
