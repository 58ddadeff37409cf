#include "server/schedules/times.hpp"

#include <gtest/gtest.h>

namespace plimsoll::schedules {
namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kNoon = 1'700'049'600;  // 2023-11-15 12:00 UTC

struct Answered {
    std::vector<std::int64_t> submitted;  // hours after noon
    int missed = 0;
    std::int64_t next = 0;

    bool operator==(const Answered&) const = default;
};

// Hourly, first due at noon, looked at so late: steps are taken until nothing is due.
Answered answer(Misfire misfire, std::int64_t late, int limit = 3) {
    const auto cron = Cron::parse("@hourly").value();
    const auto now = kNoon + late;
    Answered answered;
    std::optional<std::int64_t> next = kNoon;
    while (next && *next <= now) {
        const auto step = next_step(cron, Zone(), misfire, limit, *next, now);
        answered.missed += step.missed;
        if (step.submit)
            answered.submitted.push_back((step.due - kNoon) / kHour);
        else
            ++answered.missed;
        next = step.then;
    }
    answered.next = (*next - kNoon) / kHour;
    return answered;
}

TEST(Misfire, IsNoneIfATimeIsHandledSoon) {
    for (const auto misfire : {Misfire::skip, Misfire::once, Misfire::all}) {
        EXPECT_EQ(answer(misfire, 1), (Answered{{0}, 0, 1}));
        EXPECT_EQ(answer(misfire, kMissedAfter), (Answered{{0}, 0, 1}));
    }
}

TEST(Misfire, SkipDropsAll) {
    EXPECT_EQ(answer(Misfire::skip, kMissedAfter + 1), (Answered{{}, 1, 1}));
    EXPECT_EQ(answer(Misfire::skip, 5 * kHour + 600), (Answered{{}, 6, 6}));
    EXPECT_EQ(answer(Misfire::skip, 5 * kHour), (Answered{{5}, 5, 6}));
}

TEST(Misfire, OnceMakesOneRunForAll) {
    EXPECT_EQ(answer(Misfire::once, 5 * kHour + 600), (Answered{{5}, 5, 6}));
    EXPECT_EQ(answer(Misfire::once, 5 * kHour), (Answered{{5}, 5, 6}));
}

TEST(Misfire, AllRunsTheLatest) {
    EXPECT_EQ(answer(Misfire::all, kHour + 600), (Answered{{0, 1}, 0, 2}));
    EXPECT_EQ(answer(Misfire::all, 5 * kHour + 600), (Answered{{3, 4, 5}, 3, 6}));
    EXPECT_EQ(answer(Misfire::all, 5 * kHour), (Answered{{2, 3, 4, 5}, 2, 6}));
    EXPECT_EQ(answer(Misfire::all, 4000 * kHour + 600, 1), (Answered{{4000}, 4000, 4001}));
}

TEST(Misfire, EndsWithAnExpressionThatIsNeverDueAgain) {
    const auto cron = Cron::parse("0 0 30 2 *").value();
    const auto step = next_step(cron, Zone(), Misfire::once, 1, kNoon, kNoon + kHour);
    EXPECT_EQ(step.due, kNoon);
    EXPECT_FALSE(step.then);
}

}  // namespace
}  // namespace plimsoll::schedules
