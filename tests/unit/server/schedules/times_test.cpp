// Due times against a walk over every minute that asks the zone nothing but its offset.
#include "server/schedules/times.hpp"

#include <array>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace plimsoll::schedules {
namespace {

using Times = std::vector<std::int64_t>;

constexpr std::int64_t kDay = 86'400;

Date date_at(std::int64_t local) {
    const auto day = local >= 0 ? local / kDay : -((kDay - 1 - local) / kDay);
    // Days since 1970-01-01 to the calendar: http://howardhinnant.github.io/date_algorithms.html
    const auto z = day + 719'468;
    const auto era = z / 146'097;
    const auto of_era = z - era * 146'097;
    const auto year_of_era = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
    const auto of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const auto m = (5 * of_year + 2) / 153;
    Date date;
    date.day = static_cast<int>(of_year - (153 * m + 2) / 5 + 1);
    date.month = static_cast<int>(m < 10 ? m + 3 : m - 9);
    date.year = static_cast<int>(year_of_era + era * 400 + (date.month <= 2));
    date.weekday = static_cast<int>((day % 7 + 11) % 7);
    const bool leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
    constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    date.days_in_month =
        date.month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(date.month - 1)];
    return date;
}

bool shows(const Cron& cron, std::int64_t local) {
    const auto minute = static_cast<std::size_t>(local / 60 % 60);
    const auto hour = static_cast<std::size_t>(local / 3600 % 24);
    return cron.minutes()[minute] && cron.hours()[hour] && cron.on(date_at(local));
}

Times walk(const Cron& cron, const Zone& zone, std::int64_t from, std::int64_t until) {
    Times found;
    std::set<std::int64_t> seen;  // what clocks showed in the last days
    for (auto t = from - 2 * kDay; t <= until; t += 60) {
        const auto local = t + zone.offset(t);
        bool due = shows(cron, local) && (!cron.fixed() || !seen.contains(local));
        for (auto skipped = t + zone.offset(t - 1); cron.fixed() && skipped < local; skipped += 60)
            due = due || shows(cron, skipped);
        seen.insert(local);
        if (due && t > from) found.push_back(t);
    }
    return found;
}

Times dues_until(const Cron& cron, const Zone& zone, std::int64_t from, std::int64_t until) {
    Times found;
    for (auto next = next_due(cron, zone, from); next && *next <= until;
         next = next_due(cron, zone, *next)) {
        found.push_back(*next);
    }
    return found;
}

std::string random_expression(std::mt19937& random) {
    const auto pick = [&](std::initializer_list<const char*> of) {
        return std::string(
            of.begin()[std::uniform_int_distribution<std::size_t>(0, of.size() - 1)(random)]);
    };
    return pick({"0", "30", "*/20", "15,45", "59", "*", "1-59/29"}) + " " +
           pick({"*", "2", "0", "1,2,3", "*/6", "23", "0-3", "12", "0/1"}) + " " +
           pick({"*", "*", "*", "1", "L", "25-31", "*/3"}) + " * " +
           pick({"*", "*", "*", "sun", "1-5", "0L", "6,0", "sun#2"});
}

struct Change {
    const char* zone;
    std::int64_t at;  // 1970 seconds near which clocks change
};

// Forward and back by an hour, by half an hour, at midnight, over midnight, by a whole day.
constexpr Change kChanges[] = {
    {"Europe/Berlin", 1711846800},        // 2024-03-31 02:00 forward
    {"Europe/Berlin", 1729990800},        // 2024-10-27 03:00 back
    {"America/New_York", 1710054000},     // 2024-03-10
    {"America/New_York", 1730613600},     // 2024-11-03
    {"Australia/Lord_Howe", 1728142200},  // 2024-10-06, half an hour
    {"Australia/Lord_Howe", 1712415600},  // 2024-04-07
    {"America/Sao_Paulo", 1541300400},    // 2018-11-04 00:00 forward
    {"America/Sao_Paulo", 1550368800},    // 2019-02-17 00:00 back
    {"America/St_Johns", 1289097060},     // 2010-11-07 00:01 back to 23:01
    {"America/St_Johns", 1268537460},     // 2010-03-14 00:01 forward
    {"Pacific/Apia", 1325239200},         // 2011-12-30 does not exist
    {"Africa/Casablanca", 1712455200},    // around Ramadan
    {"Antarctica/Troll", 1711846800},     // two hours
    {"Asia/Kathmandu", 1711846800},       // none, at 5:45
};

TEST(Times, EqualThoseOfAWalkOverEveryMinute) {
    std::mt19937 random(20240331);
    for (const auto& change : kChanges) {
        const auto zone = Zone::named(change.zone).value();
        for (int i = 0; i < 40; ++i) {
            const auto expression = random_expression(random);
            const auto cron = Cron::parse(expression).value();
            const auto from = change.at / 60 * 60 - 3 * kDay +
                              std::uniform_int_distribution<std::int64_t>(-1000, 1000)(random) * 60;
            const auto until = from + 6 * kDay;
            const auto expected = walk(cron, zone, from, until);
            EXPECT_EQ(dues_until(cron, zone, from, until), expected)
                << expression << " in " << change.zone << " from " << from;
            EXPECT_EQ(next_dues(cron, zone, from, expected.size()), expected)
                << expression << " in " << change.zone << " from " << from;
        }
    }
}

std::vector<std::string> shown(const char* expression, const char* name, std::int64_t after,
                               std::size_t count) {
    const auto zone = Zone::named(name).value();
    std::vector<std::string> texts;
    for (const auto time : next_dues(Cron::parse(expression).value(), zone, after, count)) {
        const auto local = time + zone.offset(time);
        const auto date = date_at(local);
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "%02d-%02d %02d:%02d %+d", date.month, date.day,
                      static_cast<int>(local / 3600 % 24), static_cast<int>(local / 60 % 60),
                      static_cast<int>(zone.offset(time) / 3600));
        texts.emplace_back(text.data());
    }
    return texts;
}

using Texts = std::vector<std::string>;

// 2024-03-30 12:00 UTC and 2024-10-26 12:00 UTC, the days before clocks change in Berlin.
constexpr std::int64_t kBeforeForward = 1711800000;
constexpr std::int64_t kBeforeBack = 1729944000;

TEST(Times, OfASkippedHourAreDueWhenClocksGoForward) {
    EXPECT_EQ(shown("30 2 * * *", "Europe/Berlin", kBeforeForward, 2),
              (Texts{"03-31 03:00 +2", "04-01 02:30 +2"}));
    EXPECT_EQ(shown("0,30 2-3 * * *", "Europe/Berlin", kBeforeForward, 3),
              (Texts{"03-31 03:00 +2", "03-31 03:30 +2", "04-01 02:00 +2"}));
    EXPECT_EQ(shown("*/30 2 * * *", "Europe/Berlin", kBeforeForward, 1), (Texts{"04-01 02:00 +2"}));
}

TEST(Times, OfARepeatedHourAreDueOnceUnlessTheyAreSteps) {
    EXPECT_EQ(shown("30 2 * * *", "Europe/Berlin", kBeforeBack, 2),
              (Texts{"10-27 02:30 +2", "10-28 02:30 +1"}));
    EXPECT_EQ(shown("0 * * * *", "Europe/Berlin", kBeforeBack + 11 * 3600, 4),
              (Texts{"10-27 02:00 +2", "10-27 02:00 +1", "10-27 03:00 +1", "10-27 04:00 +1"}));
}

TEST(Times, MayBeDecadesAway) {
    EXPECT_EQ(next_dues(Cron::parse("0 0 29 2 */7").value(), Zone(), 1709200000, 2),
              (Times{1961625600, 2845238400}));  // in 2032 and 2060
}

TEST(Times, MayNeverCome) {
    for (const auto* never : {"0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 30-31 feb */2"})
        EXPECT_FALSE(next_due(Cron::parse(never).value(), Zone(), 0)) << never;
}

}  // namespace
}  // namespace plimsoll::schedules
