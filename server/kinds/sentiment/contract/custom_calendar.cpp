#include "server/kinds/sentiment/contract/custom_calendar.hpp"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

constexpr int kEndOfDay = 24 * 60;
constexpr const char* kWeekdays[] = {"sunday",   "monday", "tuesday", "wednesday",
                                     "thursday", "friday", "saturday"};

// "09:30"; the contract has checked the form.
int minutes_of(const json& time) {
    int hours = 0;
    int minutes = 0;
    std::sscanf(time.get_ref<const std::string&>().c_str(), "%d:%d", &hours, &minutes);
    return hours * 60 + minutes;
}

market::Date date_of(const json& given) {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    std::sscanf(given.get_ref<const std::string&>().c_str(), "%d-%u-%u", &year, &month, &day);
    return {std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
}

bool is_ordered(const market::Hours& hours) {
    return hours.pre_market <= hours.open && hours.open < hours.close && hours.close <= hours.end;
}

}  // namespace

market::Calendar always_open() {
    market::CalendarRules rules{.name = "always_open",
                                .zone = {},
                                .hours = {0, 0, kEndOfDay, kEndOfDay},
                                .weekdays = {},
                                .special = {}};
    rules.weekdays.fill(true);
    return market::Calendar(std::move(rules));
}

tl::expected<market::Calendar, FieldErrors> parse_custom_calendar(const json& given,
                                                                  const std::string& where) {
    const auto zone = zones::Zone::named(given.at("time_zone").get<std::string>());
    if (!zone) return refused(where + "/time_zone", "time_zone", zone.error().message);
    market::CalendarRules rules{
        .name = "custom_calendar", .zone = *zone, .hours = {}, .weekdays = {}, .special = {}};
    rules.hours.open = minutes_of(given.at("open"));
    rules.hours.close = minutes_of(given.at("close"));
    rules.hours.pre_market =
        given.contains("pre_market_from") ? minutes_of(given["pre_market_from"]) : rules.hours.open;
    rules.hours.end = given.contains("after_hours_until") ? minutes_of(given["after_hours_until"])
                                                          : rules.hours.close;
    if (!is_ordered(rules.hours)) {
        return refused(where, "order",
                       "The times of a day must be in order: pre_market_from, open, close, "
                       "after_hours_until.");
    }
    for (const json& name : given.at("weekdays")) {
        const auto* const day = std::ranges::find(kWeekdays, name.get<std::string>());
        rules.weekdays[static_cast<std::size_t>(day - std::begin(kWeekdays))] = true;
    }
    for (const json& date : given.value("closed", json::array())) {
        rules.special.push_back({date_of(date), "Closed"});
    }
    for (const json& early : given.value("early_closes", json::array())) {
        auto hours = rules.hours;
        hours.close = minutes_of(early.at("close"));
        hours.end = hours.close;
        rules.special.push_back({date_of(early.at("date")), "Early close", false, hours});
        if (!is_ordered(hours)) {
            return refused(where + "/early_closes", "order",
                           "An early close must be after the open.");
        }
    }
    std::ranges::sort(rules.special, {}, &market::SpecialDay::date);
    const auto twice = std::ranges::adjacent_find(rules.special, {}, &market::SpecialDay::date);
    if (twice != rules.special.end()) {
        return refused(where + "/closed", "unique",
                       "A date occurs twice in closed and early_closes.");
    }
    const auto wrong =
        std::ranges::find_if(rules.special, [](const auto& day) { return !day.date.ok(); });
    if (wrong != rules.special.end()) {
        return refused(where + "/closed", "date",
                       "A date in closed or early_closes does not exist.");
    }
    return market::Calendar(std::move(rules));
}

}  // namespace plimsoll::jobs::sentiment
