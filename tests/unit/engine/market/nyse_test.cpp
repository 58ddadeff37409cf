#include "engine/market/nyse.hpp"

#include "tests/unit/engine/market/moments.hpp"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

namespace plimsoll::market {
namespace {

const Calendar& calendar() {
    static const Calendar kCalendar = nyse().value();
    return kCalendar;
}

Status status_at(const std::string& text) { return calendar().at(new_york(text)).value().status; }

std::string clock_time(int minutes) {
    char text[8];
    std::snprintf(text, sizeof text, "%02d:%02d", minutes / 60, minutes % 60);
    return text;
}

// What differs from a usual weekday, as tests/data/market has it.
std::vector<std::string> differing_days() {
    std::vector<std::string> rows;
    const Hours& usual = calendar().rules().hours;
    for (const auto& day : calendar().rules().special) {
        const auto weekday = std::chrono::weekday(std::chrono::sys_days(day.date)).iso_encoding();
        if (weekday > 5) continue;
        char date[16];
        std::snprintf(date, sizeof date, "%04d-%02u-%02u", static_cast<int>(day.date.year()),
                      static_cast<unsigned>(day.date.month()),
                      static_cast<unsigned>(day.date.day()));
        if (day.closed) {
            rows.push_back(std::string(date) + ",closed,");
            continue;
        }
        if (day.hours.close != usual.close)
            rows.push_back(std::string(date) + ",early_close," + clock_time(day.hours.close));
        if (day.hours.open != usual.open)
            rows.push_back(std::string(date) + ",late_open," + clock_time(day.hours.open));
    }
    return rows;
}

TEST(Nyse, DiffersFromWeekdaysOnTheDaysThatAnotherLibraryNames) {
    std::ifstream file("tests/data/market/nyse_1990_2040.csv");
    std::string line;
    std::getline(file, line);
    std::vector<std::string> expected;
    while (std::getline(file, line)) expected.push_back(line);
    ASSERT_GT(expected.size(), 500u);
    EXPECT_EQ(differing_days(), expected);
}

TEST(Nyse, EachDayIsInTheCalendarOnce) {
    const auto& days = calendar().rules().special;
    EXPECT_EQ(std::ranges::adjacent_find(days, {}, &SpecialDay::date), days.end());
}

TEST(Nyse, NamesHolidays) {
    using namespace std::chrono;
    EXPECT_EQ(calendar().special(November / 26 / 2026)->name, "Thanksgiving");
    EXPECT_EQ(calendar().special(January / 9 / 2025)->name, "Carter mourning");
    EXPECT_EQ(calendar().special(January / 2 / 2023)->name, "New Year's Day (observed)");
    EXPECT_EQ(calendar().special(March / 3 / 2026), nullptr);
}

TEST(Nyse, KeepsNewYearsEveWhenTheHolidayIsASaturday) {
    EXPECT_EQ(status_at("2021-12-31 10:00"), Status::regular);
    EXPECT_EQ(status_at("2021-12-31 15:59"), Status::regular);
}

TEST(Nyse, ChangesAtTheHoursOfTheDayInEveryWeekAroundAClockChange) {
    for (const std::string day : {"2026-03-06", "2026-03-09", "2026-10-30", "2026-11-02"}) {
        EXPECT_EQ(status_at(day + " 03:59"), Status::closed) << day;
        EXPECT_EQ(status_at(day + " 04:00"), Status::pre_market) << day;
        EXPECT_EQ(status_at(day + " 09:29"), Status::pre_market) << day;
        EXPECT_EQ(status_at(day + " 09:30"), Status::regular) << day;
        EXPECT_EQ(status_at(day + " 15:59"), Status::regular) << day;
        EXPECT_EQ(status_at(day + " 16:00"), Status::after_hours) << day;
        EXPECT_EQ(status_at(day + " 19:59"), Status::after_hours) << day;
        EXPECT_EQ(status_at(day + " 20:00"), Status::closed) << day;
    }
}

TEST(Nyse, ClosesEarlyOnTheDayAfterThanksgiving) {
    EXPECT_EQ(status_at("2026-11-27 12:59"), Status::regular);
    EXPECT_EQ(status_at("2026-11-27 13:00"), Status::after_hours);
    EXPECT_EQ(status_at("2026-11-27 17:00"), Status::closed);
}

TEST(Nyse, ALongWeekendIsOneSpan) {
    const auto span = calendar().at(new_york("2026-05-24 12:00")).value();
    EXPECT_EQ(span,
              (Span{new_york("2026-05-22 20:00"), new_york("2026-05-26 04:00"), Status::closed}));
}

TEST(Nyse, KnowsItsYearsOnly) {
    EXPECT_EQ(status_at("1990-01-02 10:00"), Status::regular);
    EXPECT_EQ(status_at("2040-12-31 10:00"), Status::regular);
    EXPECT_EQ(calendar().at(new_york("1989-12-29 10:00")).error().code, Errc::invalid_input);
    EXPECT_EQ(calendar().at(new_york("2041-01-02 10:00")).error().message,
              "The calendar nyse covers the years 1990 to 2040.");
}

// Minute by minute against a walk that knows no spans.
TEST(Nyse, SpansEqualAWalkOverTime) {
    const auto from = new_york("2025-11-20 00:00");
    const auto until = new_york("2026-01-05 00:00");
    const auto spans = calendar().spans(from, until).value();
    ASSERT_LE(spans.front().begin, from);
    ASSERT_GE(spans.back().end, until);
    for (std::size_t i = 1; i < spans.size(); ++i) {
        EXPECT_EQ(spans[i].begin, spans[i - 1].end);
        EXPECT_NE(spans[i].status, spans[i - 1].status);
    }
    const auto zone = calendar().rules().zone;
    auto span = spans.begin();
    for (auto at = from; at < until; at += 60) {
        while (at >= span->end) ++span;
        const auto local = at + zone.offset(at);
        const std::chrono::sys_days day{std::chrono::days(local / 86400)};
        const int minute = static_cast<int>(local % 86400 / 60);
        const auto* differs = calendar().special(Date(day));
        const bool works = std::chrono::weekday(day).iso_encoding() <= 5;
        const Hours hours = differs != nullptr ? differs->hours : calendar().rules().hours;
        auto expected = Status::closed;
        if (differs != nullptr ? !differs->closed : works) {
            if (minute >= hours.pre_market) expected = Status::pre_market;
            if (minute >= hours.open) expected = Status::regular;
            if (minute >= hours.close) expected = Status::after_hours;
            if (minute >= hours.end) expected = Status::closed;
        }
        ASSERT_EQ(span->status, expected) << at;
    }
}

}  // namespace
}  // namespace plimsoll::market
