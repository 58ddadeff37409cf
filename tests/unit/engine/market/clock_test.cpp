#include "engine/market/clock.hpp"

#include "engine/market/nyse.hpp"
#include "tests/unit/engine/market/moments.hpp"

#include <gtest/gtest.h>

namespace plimsoll::market {
namespace {

Clock clock_with(std::int64_t hold_seconds, std::vector<Override> overrides = {},
                 std::optional<Status> always = {}) {
    return Clock({.calendar = nyse().value(),
                  .hold_seconds = hold_seconds,
                  .overrides = std::move(overrides),
                  .always = always});
}

Status status_at(const Clock& clock, const std::string& text) {
    return clock.at(new_york(text)).value().status;
}

Calendar always_trading() {
    CalendarRules rules{
        .name = "always", .zone = {}, .hours = {0, 0, 1440, 1440}, .weekdays = {}, .special = {}};
    rules.weekdays.fill(true);
    return Calendar(std::move(rules));
}

TEST(Clock, FollowsItsCalendar) {
    const auto clock = clock_with(0);
    EXPECT_EQ(status_at(clock, "2026-03-02 15:59"), Status::regular);
    EXPECT_EQ(status_at(clock, "2026-03-02 16:00"), Status::after_hours);
}

TEST(Clock, HoldsASessionAfterItsEndButNotBeforeItsBeginning) {
    const auto clock = clock_with(600);
    EXPECT_EQ(status_at(clock, "2026-03-02 03:59"), Status::closed);
    EXPECT_EQ(status_at(clock, "2026-03-02 04:00"), Status::pre_market);
    EXPECT_EQ(status_at(clock, "2026-03-02 09:30"), Status::regular);
    EXPECT_EQ(status_at(clock, "2026-03-02 16:09"), Status::regular);
    EXPECT_EQ(status_at(clock, "2026-03-02 16:10"), Status::after_hours);
    EXPECT_EQ(status_at(clock, "2026-03-02 20:09"), Status::after_hours);
    EXPECT_EQ(status_at(clock, "2026-03-02 20:10"), Status::closed);
}

TEST(Clock, ALaterOverrideWinsOverTheCalendarAndAnEarlierOne) {
    const auto clock = clock_with(
        0, {{new_york("2026-03-02 10:00"), new_york("2026-03-02 14:00"), Status::closed},
            {new_york("2026-03-02 12:00"), new_york("2026-03-02 13:00"), Status::pre_market}});
    EXPECT_EQ(status_at(clock, "2026-03-02 09:59"), Status::regular);
    EXPECT_EQ(status_at(clock, "2026-03-02 11:00"), Status::closed);
    EXPECT_EQ(status_at(clock, "2026-03-02 12:30"), Status::pre_market);
    EXPECT_EQ(status_at(clock, "2026-03-02 13:30"), Status::closed);
    EXPECT_EQ(status_at(clock, "2026-03-02 14:00"), Status::regular);
    const auto span = clock.at(new_york("2026-03-02 13:30")).value();
    EXPECT_EQ(span.begin, new_york("2026-03-02 13:00"));
    EXPECT_EQ(span.end, new_york("2026-03-02 14:00"));
}

TEST(Clock, OneStateForever) {
    const auto clock = clock_with(0, {}, Status::closed);
    EXPECT_EQ(status_at(clock, "2026-03-02 12:00"), Status::closed);
    EXPECT_EQ(clock.at(new_york("1980-03-02 12:00")).error().code, Errc::invalid_input);
}

TEST(Calendar, AMarketThatNeverClosesIsOneSpan) {
    const auto calendar = always_trading();
    const auto span = calendar.at(1'772'000'000).value();
    EXPECT_EQ(span, (Span{calendar.first(), calendar.last(), Status::regular}));
}

}  // namespace
}  // namespace plimsoll::market
