#include "server/http/endpoints/user_turns.hpp"

#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace plimsoll::http::endpoints {
namespace {

class UserTurnsTest : public testing::Test {
  protected:
    // Begins a turn, lets everything else run, and ends it.
    boost::asio::awaitable<void> take(UserId user, std::string name) {
        auto queue = turns_.of(user, io_.get_executor());
        const auto turn = co_await queue.wait();
        seen_.push_back(name + " begins");
        co_await boost::asio::post(io_, boost::asio::use_awaitable);
        co_await boost::asio::post(io_, boost::asio::use_awaitable);
        seen_.push_back(name + " ends");
    }
    void start(UserId user, const std::string& name) {
        boost::asio::co_spawn(io_, take(user, name), boost::asio::detached);
    }

    boost::asio::io_context io_{1};
    UserTurns turns_;
    std::vector<std::string> seen_;
};

using Seen = std::vector<std::string>;

TEST_F(UserTurnsTest, TurnsOfAUserFollowOneAnother) {
    for (const auto* name : {"first", "second", "third"}) start(UserId{1}, name);
    io_.run();
    EXPECT_EQ(seen_, (Seen{"first begins", "first ends", "second begins", "second ends",
                           "third begins", "third ends"}));
}

TEST_F(UserTurnsTest, UsersDoNotWaitForEachOther) {
    start(UserId{1}, "first");
    start(UserId{2}, "second");
    io_.run();
    EXPECT_EQ(seen_, (Seen{"first begins", "second begins", "first ends", "second ends"}));
}

}  // namespace
}  // namespace plimsoll::http::endpoints
