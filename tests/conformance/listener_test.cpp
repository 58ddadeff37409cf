#include "server/postgres/pool/listener.hpp"

#include "server/postgres/pool/pool.hpp"
#include "tests/conformance/cluster/cluster.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::postgres {
namespace {

using namespace std::chrono_literals;
using conformance::await;
using conformance::Cluster;

class ListenerTest : public testing::Test {
  protected:
    void start(std::chrono::milliseconds poll) {
        listener_.emplace(io_.get_executor(), Cluster::get().as("plimsoll_app"), poll);
        listener_->subscribe({"test_channel",
                              [this](std::string_view payload) { heard_.emplace_back(payload); },
                              [this] { ++looks_; }});
        listener_->start();
        pool_.start();
    }

    template <class Condition>
    void run_until(Condition condition) {
        io_.restart();
        while (!condition() && io_.run_one()) {
        }
    }

    void notify(const char* payload) {
        auto sent = await(io_, pool_.run(Statement::of(Query{"test", "select pg_notify($1, $2)"},
                                                       "test_channel", payload),
                                         10min));
        ASSERT_TRUE(sent) << sent.error().message;
    }

    asio::io_context io_;
    Pool pool_{io_.get_executor(), Cluster::get().superuser()};
    std::optional<Listener> listener_;
    std::vector<std::string> heard_;
    int looks_ = 0;
};

TEST_F(ListenerTest, ReceivesNotificationsOfItsChannel) {
    start(1h);
    run_until([&] { return listener_->is_listening(); });
    EXPECT_EQ(looks_, 1);
    notify("a,b");
    run_until([&] { return !heard_.empty(); });
    EXPECT_EQ(heard_, std::vector<std::string>{"a,b"});
}

TEST_F(ListenerTest, ChecksAgainAfterAReconnect) {
    start(1h);
    run_until([&] { return listener_->is_listening(); });
    Cluster::get().end_sessions("plimsoll_app");
    run_until([&] { return !listener_->is_listening(); });
    run_until([&] { return listener_->is_listening(); });
    EXPECT_EQ(looks_, 2);
    notify("after");
    run_until([&] { return !heard_.empty(); });
    EXPECT_EQ(heard_, std::vector<std::string>{"after"});
}

TEST_F(ListenerTest, PollsBesidesNotifications) {
    start(10ms);
    run_until([&] { return looks_ >= 5; });
    EXPECT_TRUE(heard_.empty());
}

}  // namespace
}  // namespace plimsoll::postgres
