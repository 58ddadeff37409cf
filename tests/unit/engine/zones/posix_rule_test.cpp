#include "engine/zones/posix_rule.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace plimsoll::zones {
namespace {

std::int64_t utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
    using namespace std::chrono;
    const sys_days date{std::chrono::year(year) / month / day};
    return date.time_since_epoch().count() * 86'400 + hour * 3600 + minute * 60;
}

PosixRule rule(const std::string& text) {
    auto parsed = PosixRule::parse(text);
    EXPECT_TRUE(parsed) << text;
    return parsed.value_or(PosixRule{});
}

void expect_period(const std::string& text, std::int64_t begin, std::int64_t end,
                   std::int64_t offset) {
    const auto its_rule = rule(text);
    for (const auto at : {begin, begin + (end - begin) / 2, end - 1}) {
        const auto found = its_rule.period(at);
        EXPECT_EQ(found.begin, begin) << text;
        EXPECT_EQ(found.end, end) << text;
        EXPECT_EQ(found.offset, offset) << text;
    }
}

TEST(PosixRule, KeepsOneOffsetForever) {
    for (const auto& [text, offset] : {std::pair<const char*, int>{"<+03>-3", 10'800},
                                       {"EST5", -18'000},
                                       {"<+0845>-8:45", 31'500},
                                       {"XYZ+1:02:03", -3'723}}) {
        const auto found = rule(text).period(utc(2100, 1, 1));
        EXPECT_EQ(found.begin, INT64_MIN);
        EXPECT_EQ(found.end, INT64_MAX);
        EXPECT_EQ(found.offset, offset) << text;
    }
}

TEST(PosixRule, ChangesOnTheLastSundays) {
    expect_period("CET-1CEST,M3.5.0,M10.5.0/3", utc(2040, 3, 25, 1), utc(2040, 10, 28, 1), 7200);
    expect_period("CET-1CEST,M3.5.0,M10.5.0/3", utc(2040, 10, 28, 1), utc(2041, 3, 31, 1), 3600);
}

TEST(PosixRule, SummerTimeSpansNewYearInTheSouth) {
    expect_period("AEST-10AEDT,M10.1.0,M4.1.0/3", utc(2050, 10, 1, 16), utc(2051, 4, 1, 16),
                  39'600);
}

TEST(PosixRule, AcceptsSummerTimeBehindStandardTime) {
    expect_period("IST-1GMT0,M10.5.0,M3.5.0/1", utc(2044, 10, 30, 1), utc(2045, 3, 26, 1), 0);
}

TEST(PosixRule, AcceptsTimesOnOtherDays) {
    // Two o'clock of the Saturday after the Thursday; an hour before midnight of the day before.
    expect_period("EET-2EEST,M3.4.4/50,M10.4.4/50", utc(2046, 3, 24), utc(2046, 10, 26, 23),
                  10'800);
    expect_period("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", utc(2047, 3, 31, 1), utc(2047, 10, 27, 1),
                  -3600);
}

TEST(PosixRule, CountsDaysOfTheYearWithAndWithoutTheLeapDay) {
    // 2048 is a leap year: J60 is March 1 in every year, 60 is March 1 only in leap years.
    expect_period("AAA0BBB,J60/0,J365/0", utc(2048, 3, 1), utc(2048, 12, 30, 23), 3600);
    expect_period("AAA0BBB,J60/0,J365/0", utc(2049, 3, 1), utc(2049, 12, 30, 23), 3600);
    expect_period("AAA0BBB,60/0,364/0", utc(2048, 3, 1), utc(2048, 12, 29, 23), 3600);
    expect_period("AAA0BBB,60/0,364/0", utc(2049, 3, 2), utc(2049, 12, 30, 23), 3600);
}

TEST(PosixRule, SummerTimeCanLastAllYear) {
    const auto always = rule("XXX3EDT4,0/0,J365/23");  // the example of RFC 8536, 3.3.1
    for (auto at = utc(2059, 12, 25); at < utc(2060, 1, 10); at += 600)
        EXPECT_EQ(always.period(at).offset, -4 * 3600) << at;
}

TEST(PosixRule, RepeatsAfterFourHundredYears) {
    constexpr std::int64_t cycle = 146'097LL * 86'400;
    const auto berlin = rule("CET-1CEST,M3.5.0,M10.5.0/3");
    for (const auto at : {utc(2040, 7, 1), utc(1970, 1, 1)}) {
        for (const auto cycles : {-3, 1, 50}) {
            const auto there = berlin.period(at + cycles * cycle);
            EXPECT_EQ(there.begin, berlin.period(at).begin + cycles * cycle);
            EXPECT_EQ(there.end, berlin.period(at).end + cycles * cycle);
        }
    }
}

TEST(PosixRule, IsNoneIfAnythingIsInvalid) {
    for (const auto* text : {"",
                             "CET",
                             "CE-1",
                             "C1T-1",
                             "<CET-1",
                             "<+3>-3",
                             "CET-25",
                             "CET-1:60",
                             "CET-1:00:60",
                             "CET-",
                             "CET-1x",
                             "CET-1CEST",
                             "CET-1CEST,",
                             "CET-1CEST,M3.5.0",
                             "CET-1CEST,M3.5.0,",
                             "CET-1CEST,M13.5.0,M10.5.0",
                             "CET-1CEST,M3.0.0,M10.5.0",
                             "CET-1CEST,M3.6.0,M10.5.0",
                             "CET-1CEST,M3.5.7,M10.5.0",
                             "CET-1CEST,J0,J365",
                             "CET-1CEST,J1,J366",
                             "CET-1CEST,0,366",
                             "CET-1CEST,M3.5.0/168,M10.5.0",
                             "CET-1CEST,M3.5.0/-168,M10.5.0",
                             "CET-1CEST,M3.5.0,M10.5.0/3x",
                             "CET-1CEST-2,M3.5.0,M10.5.0,",
                             "CET-99999999999999999999"})
        EXPECT_FALSE(PosixRule::parse(text)) << text;
}

}  // namespace
}  // namespace plimsoll::zones
