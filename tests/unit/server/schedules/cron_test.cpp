#include "server/schedules/cron.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::schedules {
namespace {

using testing::HasSubstr;

std::string why_not(std::string_view text) {
    const auto cron = Cron::parse(text);
    return cron ? "it is one" : cron.error().message;
}

std::vector<std::size_t> minutes(std::string_view field) {
    const auto cron = Cron::parse(std::string(field) + " * * * *").value();
    std::vector<std::size_t> set;
    for (std::size_t i = 0; i < 60; ++i)
        if (cron.minutes()[i]) set.push_back(i);
    return set;
}

// 2024-03: the 1st is a Friday.
Date march(int day) { return {2024, 3, day, (day + 4) % 7, 31}; }

std::vector<int> days_of_march(std::string_view days_and_weekdays) {
    const std::string text(days_and_weekdays);
    const auto space = text.find(' ');
    const auto cron =
        Cron::parse("0 0 " + text.substr(0, space) + " * " + text.substr(space + 1)).value();
    std::vector<int> days;
    for (int day = 1; day <= 31; ++day)
        if (cron.on(march(day))) days.push_back(day);
    return days;
}

using Days = std::vector<int>;
using Minutes = std::vector<std::size_t>;

TEST(Cron, ReadsNumbersRangesStepsAndLists) {
    EXPECT_EQ(minutes("*").size(), 60U);
    EXPECT_EQ(minutes("7"), Minutes{7});
    EXPECT_EQ(minutes("*/15"), (Minutes{0, 15, 30, 45}));
    EXPECT_EQ(minutes("5-9/2,30"), (Minutes{5, 7, 9, 30}));
    EXPECT_EQ(minutes("50/5"), (Minutes{50, 55}));
    EXPECT_EQ(minutes("0/999"), Minutes{0});
}

TEST(Cron, ReadsNamesInAnyCase) {
    const auto cron = Cron::parse("0 9 * jan,DEC Mon-Fri").value();
    EXPECT_TRUE(cron.in_month(1));
    EXPECT_FALSE(cron.in_month(2));
    EXPECT_TRUE(cron.in_month(12));
    EXPECT_EQ(days_of_march("* mon-fri").size(), 21U);
}

TEST(Cron, AcceptsSundayAtEitherEndOfTheWeek) {
    const Days sundays{3, 10, 17, 24, 31};
    for (const auto* sunday : {"0", "7", "sun"})
        EXPECT_EQ(days_of_march(std::string("* ") + sunday), sundays) << sunday;
    EXPECT_EQ(days_of_march("* fri-sun"), days_of_march("* 5-7"));
    EXPECT_EQ(days_of_march("* 5-7").size(), 15U);
}

TEST(Cron, MatchesEitherDayUnlessOneBeginsWithAStar) {
    EXPECT_EQ(days_of_march("13 5"), (Days{1, 8, 13, 15, 22, 29}));
    EXPECT_EQ(days_of_march("13 *"), Days{13});
    EXPECT_EQ(days_of_march("*/2 5"), (Days{1, 15, 29}));
}

TEST(Cron, AcceptsLastAndNthDays) {
    EXPECT_EQ(days_of_march("L *"), Days{31});
    EXPECT_EQ(days_of_march("1,L *"), (Days{1, 31}));
    EXPECT_EQ(days_of_march("* 5L"), Days{29});
    EXPECT_EQ(days_of_march("* fri#2"), Days{8});
    EXPECT_EQ(days_of_march("* 0#5"), Days{31});
    EXPECT_EQ(days_of_march("* 1#5"), Days{});
}

TEST(Cron, DistinguishesFixedTimesFromSteps) {
    EXPECT_TRUE(Cron::parse("30 2 * * *").value().fixed());
    EXPECT_TRUE(Cron::parse("@daily").value().fixed());
    EXPECT_FALSE(Cron::parse("@hourly").value().fixed());
    EXPECT_FALSE(Cron::parse("*/5 2 * * *").value().fixed());
}

TEST(Cron, NamesTheFieldAndItsRule) {
    EXPECT_EQ(why_not("60 * * * *"), "minute: \"60\" is not between 0 and 59");
    EXPECT_EQ(why_not("0 24 * * *"), "hour: \"24\" is not between 0 and 23");
    EXPECT_EQ(why_not("0 0 0 * *"), "day of the month: \"0\" is not between 1 and 31");
    EXPECT_EQ(why_not("0 0 * 13 *"),
              "month: \"13\" is not between 1 and 12, nor a name such as \"feb\"");
    EXPECT_THAT(why_not("0 0 * * 8"), HasSubstr("day of the week: \"8\""));
    EXPECT_EQ(why_not("30-10 * * * *"), "minute: the range \"30-10\" runs backwards");
    EXPECT_EQ(why_not("*/0 * * * *"),
              "minute: the step \"0\" must be a whole number of at least 1");
    EXPECT_THAT(why_not("*/ * * * *"), HasSubstr("step \"\""));
    EXPECT_THAT(why_not("1,,2 * * * *"), HasSubstr("minute: \"\""));
    EXPECT_THAT(why_not("-5 * * * *"), HasSubstr("minute: \"\""));
    EXPECT_THAT(why_not("1--5 * * * *"), HasSubstr("minute: \"-5\""));
    EXPECT_THAT(why_not("99999999999 * * * *"), HasSubstr("minute"));
    EXPECT_THAT(why_not("0 0 * * 1#6"), HasSubstr("1 to 5"));
    EXPECT_THAT(why_not("0 0 * * xL"), HasSubstr("day of the week: \"x\""));
    EXPECT_THAT(why_not("* * * *"), HasSubstr("not 4"));
    EXPECT_THAT(why_not("0 * * * * *"), HasSubstr("not 6"));
    EXPECT_THAT(why_not(""), HasSubstr("not 0"));
    EXPECT_THAT(why_not("@reboot"), HasSubstr("must be @hourly"));
    EXPECT_THAT(why_not(std::string(300, ' ')), HasSubstr("longer than 200"));
}

}  // namespace
}  // namespace plimsoll::schedules
