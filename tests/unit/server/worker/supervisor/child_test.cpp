// The child of these tests is this test program itself, told to do something else.

#include "server/worker/supervisor/child.hpp"

#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll::worker {
namespace {

using namespace boost::asio::experimental::awaitable_operators;

// --- what children do ---

TEST(Role, DISABLED_Fail) { FAIL() << "as told"; }

TEST(Role, DISABLED_WaitForASignal) {
    ASSERT_EQ(write(STDOUT_FILENO, "\nready\n", 7), 7);
    for (;;) pause();
}

// After pauses of many lengths, since what matters happens in some microseconds.
TEST(Role, DISABLED_WriteOften) {
    for (int i = 0; i < 100'000; ++i) {
        for (volatile int pause = i % 997 * 8; pause > 0;) pause = pause - 1;
        ASSERT_EQ(write(STDOUT_FILENO, "+", 1), 1);
    }
    ASSERT_EQ(write(STDOUT_FILENO, "\nready\n", 7), 7);
    for (;;) pause();
}

std::vector<std::string> role(const std::string& name) {
    return {"--gtest_filter=Role.DISABLED_" + name, "--gtest_also_run_disabled_tests",
            "--gtest_brief=1"};
}

// --- what is expected of them ---

class ChildTest : public testing::Test {
  protected:
    std::unique_ptr<Child> start(const std::vector<std::string>& arguments) {
        auto child = start_child(io_.get_executor(), arguments, STDOUT_FILENO, {});
        EXPECT_TRUE(child) << child.error().message;
        return std::move(*child);
    }

    template <class T>
    T wait_for(boost::asio::awaitable<T> awaited) {
        std::optional<T> result;
        boost::asio::co_spawn(io_, std::move(awaited),
                              [&](const std::exception_ptr& thrown, T value) {
                                  EXPECT_FALSE(thrown);
                                  result = std::move(value);
                              });
        io_.restart();
        io_.run();
        return std::move(*result);
    }

    // All that the child writes until `last` has been seen.
    boost::asio::awaitable<std::string> read_until(Child& child, std::string last) {
        std::string text;
        while (text.find(last) == std::string::npos) {
            co_await child.wrote();
            text += child.read();
        }
        co_return text;
    }

    boost::asio::io_context io_{1};
};

TEST_F(ChildTest, RunsThisProgramAndReadsItsPipe) {
    const auto child = start({"--gtest_list_tests", "--gtest_filter=ChildTest.*"});
    const auto text = wait_for(read_until(*child, "RunsThisProgramAndReadsItsPipe"));
    EXPECT_NE(text.find("ChildTest."), std::string::npos);
    EXPECT_EQ(wait_for(child->ended()), "");
}

TEST_F(ChildTest, ReportsTheExitStatus) {
    const auto child = start(role("Fail"));
    EXPECT_EQ(wait_for(child->ended()), "exit status 1");
}

TEST_F(ChildTest, ReportsTheSignalThatKilledIt) {
    const auto child = start(role("WaitForASignal"));
    wait_for(read_until(*child, "ready"));
    child->signal(SIGKILL);
    EXPECT_EQ(wait_for(child->ended()), "killed by SIGKILL");
    EXPECT_EQ(wait_for(child->ended()), "killed by SIGKILL");
}

TEST_F(ChildTest, WaitingForItsEndSurvivesACancelledWait) {
    const auto child = start(role("WaitForASignal"));
    const auto first = [&]() -> boost::asio::awaitable<std::size_t> {
        std::string text;
        for (;;) {
            auto happened = co_await (child->ended() || child->wrote());
            if (happened.index() == 0) co_return 0;
            text += child->read();
            if (text.find("ready") != std::string::npos) co_return 1;
        }
    };
    EXPECT_EQ(wait_for(first()), 1U);
    child->signal(SIGTERM);
    EXPECT_EQ(wait_for(child->ended()), "killed by SIGTERM");
}

TEST_F(ChildTest, NothingThatItWritesIsMissed) {
    const auto child = start(role("WriteOften"));
    const auto all = [&]() -> boost::asio::awaitable<bool> {
        std::string text;
        while (text.find("ready") == std::string::npos) {
            boost::asio::steady_timer late(io_, std::chrono::seconds(20));
            const auto happened = co_await (child->ended() || child->wrote() ||
                                            late.async_wait(boost::asio::use_awaitable));
            if (happened.index() != 1) co_return false;
            text += child->read();
        }
        co_return true;
    };
    EXPECT_TRUE(wait_for(all()));
    child->signal(SIGKILL);
    EXPECT_EQ(wait_for(child->ended()), "killed by SIGKILL");
}

TEST_F(ChildTest, ItsOutputCanBeReadAfterItsExit) {
    const auto child = start({"--gtest_list_tests", "--gtest_filter=ChildTest.*"});
    EXPECT_EQ(wait_for(child->ended()), "");
    const auto text = child->read();
    EXPECT_NE(text.find("ItsOutputCanBeReadAfterItsExit"), std::string::npos);
    EXPECT_EQ(child->read(), "");
}

TEST_F(ChildTest, AClosedPipeIsNotReportedAsOutput) {
    const auto child = start({"--gtest_list_tests"});
    EXPECT_EQ(wait_for(child->ended()), "");
    const auto drained = [&]() -> boost::asio::awaitable<bool> {
        boost::asio::steady_timer soon(io_, std::chrono::milliseconds(20));
        for (;;) {
            const auto happened =
                co_await (child->wrote() || soon.async_wait(boost::asio::use_awaitable));
            if (happened.index() == 1) co_return true;
            child->read();
        }
    };
    EXPECT_TRUE(wait_for(drained()));
}

}  // namespace
}  // namespace plimsoll::worker
