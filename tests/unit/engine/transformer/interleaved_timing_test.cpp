#include "engine/transformer/interleaved_timing.hpp"

#include <string>

#include <gtest/gtest.h>

namespace plimsoll::transformer {
namespace {

using std::chrono::seconds;

// A machine whose load changes: work takes `busy` times as long from some turn to another.
class Machine {
  public:
    Machine(int busy, int from, int to) : busy_(busy), from_(from), to_(to) {}

    Work work(char name, int takes) {
        return [this, name, takes]() -> Result<void> {
            const bool is_busy = turn_ >= from_ && turn_ < to_;
            ++turn_;
            time_ += seconds(is_busy ? busy_ * takes : takes);
            order_ += name;
            return {};
        };
    }
    Now now() {
        return [this] { return time_; };
    }
    const std::string& order() const { return order_; }

  private:
    int busy_;
    int from_;
    int to_;
    int turn_ = 0;
    std::chrono::steady_clock::time_point time_;
    std::string order_;
};

TEST(Turns, ChangeOfLoadIsNoSpeedup) {
    for (const auto& [from, to] : {std::pair{0, 2}, {0, 5}, {3, 10}, {5, 10}, {2, 8}}) {
        Machine machine(4, from, to);
        const std::vector works{machine.work('a', 6), machine.work('b', 3)};
        const auto min = best_seconds(works, 5, machine.now());
        ASSERT_TRUE(min);
        EXPECT_EQ(*min, (std::vector<double>{6, 3})) << from << " to " << to;
    }
}

TEST(Turns, AlternateInOrder) {
    Machine machine(1, 0, 0);
    const std::vector works{machine.work('a', 1), machine.work('b', 1), machine.work('c', 1)};
    ASSERT_TRUE(best_seconds(works, 3, machine.now()));
    EXPECT_EQ(machine.order(), "abccbaabc");
}

TEST(Turns, StopAtAnError) {
    Machine machine(1, 0, 0);
    const Work broken = []() -> Result<void> { return fail(Errc::cancelled, "Stopped.", ""); };
    const std::vector works{machine.work('a', 1), broken, machine.work('c', 1)};
    const auto min = best_seconds(works, 3, machine.now());
    ASSERT_FALSE(min);
    EXPECT_EQ(min.error().code, Errc::cancelled);
    EXPECT_EQ(machine.order(), "a");
}

}  // namespace
}  // namespace plimsoll::transformer
