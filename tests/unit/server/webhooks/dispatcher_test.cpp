#include "server/webhooks/dispatcher.hpp"

#include "server/webhooks/webhook.hpp"

#include <optional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

namespace plimsoll::webhooks {
namespace {

using boost::asio::awaitable;

// Hands out what a test puts into it, once, and keeps what came of it.
class Queue final : public DeliveryQueue {
  public:
    struct Settled {
        DeliveryId id;
        int attempt = 0;
        std::string error;
        std::optional<std::chrono::milliseconds> pause;
    };

    awaitable<Result<std::vector<Outgoing>>> claim(int, std::chrono::seconds, int,
                                                   std::vector<DeliveryId> under_way) override {
        claims.push_back(std::move(under_way));
        if (failures-- > 0) co_return fail(Errc::unavailable, "The database is away.");
        co_return std::exchange(due, {});
    }
    awaitable<Result<void>> settle(DeliveryId id, int attempt, Attempted outcome,
                                   std::optional<std::chrono::milliseconds> pause) override {
        settled.push_back({id, attempt, outcome.error, pause});
        co_return Result<void>();
    }
    awaitable<Result<int>> forget(int) override { co_return 0; }

    std::vector<Outgoing> due;
    int failures = 0;
    std::vector<std::vector<DeliveryId>> claims;  // what was under way at each
    std::vector<Settled> settled;
};

// With a receiver that takes connections, but never responds.
class DispatcherTest : public testing::Test {
  protected:
    DispatcherTest()
        : silent_(io_, {boost::asio::ip::make_address("127.0.0.1"), 0}),
          silent_url_("http://127.0.0.1:" + std::to_string(silent_.local_endpoint().port())),
          dispatcher_(
              io_.get_executor(), queue_,
              Sender::make(
                  {.allowed = outbound::AllowList::parse(silent_url_, "127.0.0.0/8").value(),
                   .authorities = {},
                   .pages = {},
                   .mail = {}})
                  .value(),
              clock_, [] { return 0.5; }) {
        dispatcher_.start();
    }

    static Outgoing notice(std::int64_t id, int attempt, const std::string& url) {
        Outgoing made;
        made.id = DeliveryId{id};
        made.attempt = attempt;
        made.type = "webhook.test";
        made.data = "{}";
        made.url = url;
        made.secret = std::string(32, 's');
        return made;
    }
    template <class Condition>
    void run_until(Condition condition) {
        while (!condition()) io_.run_one();
    }

    boost::asio::io_context io_;
    SystemClock clock_;
    Queue queue_;
    boost::asio::ip::tcp::acceptor silent_;
    std::string silent_url_;
    Dispatcher dispatcher_;
};

TEST_F(DispatcherTest, AFailedAttemptIsRepeatedUntilTheLast) {
    const std::string refused = "https://elsewhere.example/";  // which is not on the list
    queue_.due = {notice(1, 1, refused), notice(2, kMaxAttempts, refused)};
    run_until([this] { return queue_.settled.size() == 2; });
    for (const auto& settled : queue_.settled) {
        EXPECT_NE(settled.error, "");
        EXPECT_EQ(settled.pause.has_value(), settled.id == DeliveryId{1});
    }
}

TEST_F(DispatcherTest, WhatIsUnderWayIsNotClaimedAgain) {
    queue_.due = {notice(7, 1, silent_url_ + "/in")};
    run_until([this] { return queue_.claims.size() == 2; });
    EXPECT_TRUE(queue_.claims[0].empty());
    EXPECT_EQ(queue_.claims[1], std::vector{DeliveryId{7}});
}

TEST_F(DispatcherTest, AnOutageDelaysNoticesOnly) {
    queue_.failures = 1;
    queue_.due = {notice(3, 1, "https://elsewhere.example/")};
    run_until([this] { return queue_.settled.size() == 1; });
    EXPECT_EQ(queue_.claims.size(), 2u);
}

TEST_F(DispatcherTest, WhatIsUnderWayIsAbandonedWhenItStops) {
    queue_.due = {notice(7, 1, silent_url_ + "/in")};
    run_until([this] { return queue_.claims.size() == 2; });
    dispatcher_.stop();
    io_.run();  // it ends
    EXPECT_LE(queue_.settled.size(), 1u);
}

}  // namespace
}  // namespace plimsoll::webhooks
