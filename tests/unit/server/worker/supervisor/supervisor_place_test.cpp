#include "server/worker/supervisor/supervisor_place.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll::worker {
namespace {

// No other process of the machine uses this place.
std::string own_node() {
    return "test-" + std::to_string(getpid());
}

TEST(SupervisorPlace, HasOneHolder) {
    auto first = SupervisorPlace::take(own_node(), "postgresql://a");
    ASSERT_TRUE(first);
    EXPECT_FALSE(SupervisorPlace::take(own_node(), "postgresql://a"));
    const auto moved = std::move(*first);
    first.reset();
    EXPECT_FALSE(SupervisorPlace::take(own_node(), "postgresql://a"));
}

TEST(SupervisorPlace, IsFreeWhenItsHolderExits) {
    SupervisorPlace::take(own_node(), "postgresql://a").reset();
    EXPECT_TRUE(SupervisorPlace::take(own_node(), "postgresql://a"));
}

TEST(SupervisorPlace, BelongsToANodeAndADatabase) {
    const auto here = SupervisorPlace::take(own_node(), "postgresql://a");
    EXPECT_TRUE(SupervisorPlace::take(own_node(), "postgresql://b"));
    EXPECT_TRUE(SupervisorPlace::take(own_node() + "-2", "postgresql://a"));
}

}  // namespace
}  // namespace plimsoll::worker
