#include "engine/zones/zone.hpp"

#include <gtest/gtest.h>

namespace plimsoll::zones {
namespace {

TEST(Zone, FindsPlacesAndNothingElse) {
    EXPECT_EQ(Zone::named("Europe/Berlin").value(), Zone::named("Europe/Berlin").value());
    EXPECT_EQ(Zone::named("America/Argentina/Buenos_Aires").value().name(),
              "America/Argentina/Buenos_Aires");
    for (const auto* name : {"", "Europe", "Europe/", "Europe/Atlantis", "../../../etc/passwd",
                             "/etc/localtime", "right/Europe/Berlin", "localtime", "zone1970.tab",
                             "Europe/../Europe/Berlin", "Fixed/UTC+01:00:00", "libc:localtime"})
        EXPECT_FALSE(Zone::named(name)) << name;
}

TEST(Zone, ReadsOffsets) {
    for (const auto& [name, offset, shown] : {std::tuple{"Z", 0, "UTC"},
                                              {"UTC", 0, "UTC"},
                                              {"+02:00", 7200, "+02:00"},
                                              {"-0530", -19'800, "-05:30"},
                                              {"+02", 7200, "+02:00"}}) {
        const auto zone = Zone::named(name).value();
        EXPECT_EQ(zone.offset(0), offset) << name;
        EXPECT_EQ(zone.name(), shown);
    }
    for (const auto* name : {"+2", "+15:00", "+02:60", "+0a:00", "+02-00"})
        EXPECT_FALSE(Zone::named(name)) << name;
}

// 2051-03-26 02:00 and 2051-10-29 02:00 in Berlin: the clocks change by the rule, not by a listed
// change; 400 years on, beyond the table.
TEST(Zone, FollowsTheRuleForever) {
    const auto berlin = Zone::named("Europe/Berlin").value();
    constexpr std::int64_t kFourCenturies = 146'097LL * 86'400;
    for (const std::int64_t later : {std::int64_t{0}, kFourCenturies, 10 * kFourCenturies}) {
        const auto forward = 2'563'405'200 + later;  // 01:00 UTC
        EXPECT_EQ(berlin.offset(forward - 1), 3600);
        EXPECT_EQ(berlin.offset(forward), 7200);
        EXPECT_TRUE(berlin.shown(forward + 3600).skipped);
        EXPECT_EQ(berlin.shown(forward + 3600).instant.seconds, forward);
        EXPECT_FALSE(berlin.at(forward + 3600));
        const auto back = 2'582'154'000 + later;
        const auto twice = berlin.at(back + 3600).value();
        EXPECT_EQ(twice.seconds, back - 3600);
        EXPECT_EQ(twice.again, back);
    }
}

TEST(Zone, KeepsTheLastOffsetWhereThereIsNoRule) {
    const auto tokyo = Zone::named("Asia/Tokyo").value();
    EXPECT_EQ(tokyo.offset(100'000'000'000), 9 * 3600);
    EXPECT_EQ(tokyo.at(100'000'000'000).value().seconds, 100'000'000'000 - 9 * 3600);
}

}  // namespace
}  // namespace plimsoll::zones
