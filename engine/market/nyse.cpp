#include "engine/market/nyse.hpp"

#include <algorithm>
#include <utility>

// Rules: NYSE Rule 7.2 and its notices, as collected with dates by pandas_market_calendars
// (github.com/rsheftel/pandas_market_calendars, calendars/nyse.py).
namespace plimsoll::market {
namespace {

using namespace std::chrono;

constexpr int kFirstYear = 1990;
constexpr int kLastYear = 2040;
constexpr int kPreMarket = 4 * 60;
constexpr int kOpen = 9 * 60 + 30;
constexpr int kClose = 16 * 60;
constexpr int kEnd = 20 * 60;
constexpr int kEarlyClose = 13 * 60;
constexpr int kEarlyCloseBefore1993 = 14 * 60;
constexpr int kEndAfterEarlyClose = 17 * 60;

struct Closure {
    Date date;
    const char* name;
};

// Closures that no rule gives.
constexpr Closure kClosures[] = {
    {April / 27 / 1994, "Nixon mourning"},
    {September / 11 / 2001, "September 11 attacks"},
    {September / 12 / 2001, "September 11 attacks"},
    {September / 13 / 2001, "September 11 attacks"},
    {September / 14 / 2001, "September 11 attacks"},
    {June / 11 / 2004, "Reagan mourning"},
    {January / 2 / 2007, "Ford mourning"},
    {October / 29 / 2012, "Hurricane Sandy"},
    {October / 30 / 2012, "Hurricane Sandy"},
    {December / 5 / 2018, "G.H.W. Bush mourning"},
    {January / 9 / 2025, "Carter mourning"},
};

struct OtherHours {
    Date date;
    const char* name;
    int open;
    int close;
};

// Special hours that no rule gives.
constexpr OtherHours kOtherHours[] = {
    {February / 11 / 1994, "Snow", kOpen, 14 * 60 + 30},
    {December / 18 / 1995, "Computer failure", 10 * 60 + 30, kClose},
    {January / 8 / 1996, "Snow", 11 * 60, 14 * 60},
    {October / 27 / 1997, "Circuit breakers", kOpen, 15 * 60 + 30},
    {December / 26 / 1997, "Day after Christmas", kOpen, kEarlyClose},
    {September / 11 / 2002, "September 11 memorial", 12 * 60, kClose},
    {December / 26 / 2003, "Day after Christmas", kOpen, kEarlyClose},
};

weekday weekday_of(Date date) { return weekday(sys_days(date)); }

Date plus(Date date, int count) { return sys_days(date) + days(count); }

// Gauss' Easter, by the Anonymous Gregorian algorithm (Meeus, Astronomical Algorithms, 1991, ch.
// 8).
Date easter(int year) {
    const int a = year % 19;
    const int b = year / 100;
    const int c = year % 100;
    const int d = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    const int e = (32 + 2 * (b % 4) + 2 * (c / 4) - d - c % 4) % 7;
    const int f = d + e - 7 * ((a + 11 * d + 22 * e) / 451) + 114;
    return std::chrono::year(year) / (f / 31) / (f % 31 + 1);
}

// A holiday on a Saturday is observed on Friday, one on a Sunday on Monday.
Date nearest_workday(Date date) {
    if (weekday_of(date) == Saturday) return plus(date, -1);
    return weekday_of(date) == Sunday ? plus(date, 1) : date;
}

void add_closures(int number, std::vector<SpecialDay>& to) {
    const std::chrono::year year(number);
    const auto closed = [&](Date date, const char* name) { to.push_back({date, name}); };
    // Not observed if it is a Saturday: Friday is the last day of the accounting year.
    const Date new_year = year / January / 1;
    if (weekday_of(new_year) == Sunday)
        closed(plus(new_year, 1), "New Year's Day (observed)");
    else if (weekday_of(new_year) != Saturday)
        closed(new_year, "New Year's Day");
    if (number >= 1998) closed(sys_days(year / January / Monday[3]), "Martin Luther King Jr. Day");
    closed(sys_days(year / February / Monday[3]), "Washington's Birthday");
    closed(plus(easter(number), -2), "Good Friday");
    closed(sys_days(year / May / Monday[last]), "Memorial Day");
    if (number >= 2022) closed(nearest_workday(year / June / 19), "Juneteenth");
    closed(nearest_workday(year / July / 4), "Independence Day");
    closed(sys_days(year / September / Monday[1]), "Labor Day");
    closed(sys_days(year / November / Thursday[4]), "Thanksgiving");
    closed(nearest_workday(year / December / 25), "Christmas");
}

void add_early_closes(int number, std::vector<SpecialDay>& to) {
    const std::chrono::year year(number);
    const auto early = [&](Date date, const char* name) {
        const int close = number < 1993 ? kEarlyCloseBefore1993 : kEarlyClose;
        to.push_back({date, name, false, {kPreMarket, kOpen, close, kEndAfterEarlyClose}});
    };
    const Date third = year / July / 3;
    const auto of_third = weekday_of(third);
    if (number >= 1995) {
        if (of_third == Wednesday && number < 2013) {
            early(plus(third, 2), "Day after Independence Day");
        } else if (of_third == Monday || of_third == Tuesday || of_third == Wednesday ||
                   of_third == Thursday) {
            early(third, "Day before Independence Day");
        }
    }
    if (number >= 1992)
        early(plus(sys_days(year / November / Thursday[4]), 1), "Day after Thanksgiving");
    const Date eve = year / December / 24;
    const auto of_eve = weekday_of(eve).iso_encoding();
    if (of_eve <= Thursday.iso_encoding()) early(eve, "Christmas Eve");
}

}  // namespace

Result<Calendar> nyse() {
    TRY(auto zone, zones::Zone::named("America/New_York"));
    CalendarRules rules{.name = "nyse",
                        .zone = zone,
                        .hours = {kPreMarket, kOpen, kClose, kEnd},
                        .weekdays = {false, true, true, true, true, true, false},
                        .special = {},
                        .first_year = kFirstYear,
                        .last_year = kLastYear};
    for (int year = kFirstYear; year <= kLastYear; ++year) {
        add_closures(year, rules.special);
        add_early_closes(year, rules.special);
    }
    for (const Closure& closure : kClosures) rules.special.push_back({closure.date, closure.name});
    for (const OtherHours& day : kOtherHours) {
        const int end = day.close == kClose ? kEnd : std::max(day.close, kEndAfterEarlyClose);
        rules.special.push_back(
            {day.date, day.name, false, {kPreMarket, day.open, day.close, end}});
    }
    std::ranges::sort(rules.special, {}, &SpecialDay::date);
    return Calendar(std::move(rules));
}

}  // namespace plimsoll::market
