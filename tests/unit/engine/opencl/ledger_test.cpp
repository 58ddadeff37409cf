#include "engine/opencl/memory/ledger.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace plimsoll::opencl {
namespace {

TEST(Ledger, GrantsOnlyFreeMemoryAndTakesItBack) {
    Ledger ledger(100);
    {
        const auto most = ledger.enter(80, "weights");
        ASSERT_TRUE(most);
        EXPECT_EQ(ledger.free(), 20U);
        const auto refused = ledger.enter(21, "activations");
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::exhausted);
        EXPECT_EQ(refused.error().where, "activations");
        EXPECT_EQ(refused.error().message,
                  "Not enough device memory: 21 bytes requested, 20 of 100 left.");
        EXPECT_FALSE(ledger.enter(std::numeric_limits<std::uint64_t>::max(), "overflow"));
        EXPECT_TRUE(ledger.enter(20, "the rest"));
    }
    EXPECT_EQ(ledger.used(), 0U);
}

TEST(Ledger, AnEntryThatMovedIsReturnedOnce) {
    Ledger ledger(10);
    {
        auto entry = ledger.enter(10, "a");
        const Ledger::Entry moved = std::move(*entry);
        EXPECT_EQ(ledger.used(), 10U);
    }
    EXPECT_EQ(ledger.free(), 10U);
}

}  // namespace
}  // namespace plimsoll::opencl
