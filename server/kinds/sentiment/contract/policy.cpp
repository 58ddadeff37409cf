#include "server/kinds/sentiment/contract/policy.hpp"

#include "engine/base/json.hpp"
#include "engine/market/calendar.hpp"
#include "engine/market/nyse.hpp"
#include "server/base/time.hpp"
#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <algorithm>
#include <set>

namespace plimsoll::jobs::sentiment {
namespace {

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

// With regular trading at any time.
market::Calendar always_open() {
    market::CalendarRules rules{.name = "always_open",
                                .zone = {},
                                .hours = {0, 0, kEndOfDay, kEndOfDay},
                                .weekdays = {},
                                .special = {}};
    rules.weekdays.fill(true);
    return market::Calendar(std::move(rules));
}

// A SentimentCalendar that passed its schema; `where` is its pointer.
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
    for (const json& date : given.value("closed", json::array()))
        rules.special.push_back({date_of(date), "Closed"});
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

constexpr std::int64_t kMinute = 60;

// The members of a definition that a clock is made of.
constexpr const char* kClockMembers[] = {"calendar", "custom_calendar", "hold_minutes",
                                         "market_status", "overrides"};

bool is_given(const json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && !found->is_null();
}

PolicyRule rule_of(const json& given) {
    PolicyRule rule;
    rule.model = given.at("model");
    rule.sources = given.value("sources", std::vector<std::string>());
    for (const json& name : given.value("markets", json::array())) {
        if (name == "extended") rule.markets.push_back(market::Status::pre_market);
        rule.markets.push_back(parse_market_status(name.get<std::string>()).value());
    }
    return rule;
}

std::int64_t seconds_of(const json& time) {
    const auto parsed = parse_rfc3339(time.get<std::string>());  // the contract has checked it
    return std::chrono::floor<std::chrono::seconds>(parsed->time_since_epoch()).count();
}

tl::expected<std::vector<market::Override>, FieldErrors> overrides_of(
    const json& definition, const market::Calendar& known) {
    std::vector<market::Override> overrides;
    const auto given = definition.value("overrides", json::array());
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto where = "/overrides/" + std::to_string(i);
        const market::Override over{
            seconds_of(given[i].at("from")), seconds_of(given[i].at("until")),
            parse_market_status(given[i].at("market_status").get<std::string>()).value()};
        if (over.begin >= over.end)
            return refused(where + "/until", "after_from", "It must be later than \"from\".");
        if (over.begin < known.first() || over.end > known.last())
            return refused(where, "range", "The calendar covers the years 1990 to 2040.");
        overrides.push_back(over);
    }
    return overrides;
}

tl::expected<market::Calendar, FieldErrors> calendar_of(const json& definition) {
    if (is_given(definition, "custom_calendar")) {
        if (is_given(definition, "calendar")) {
            return refused("/custom_calendar", "one_of",
                           "Give \"calendar\" or \"custom_calendar\", not both.");
        }
        return parse_custom_calendar(definition.at("custom_calendar"), "/custom_calendar");
    }
    if (definition.value("calendar", "nyse") == "always_open") return always_open();
    auto calendar = market::nyse();
    if (!calendar) return refused("/calendar", "unavailable", calendar.error().message);
    return std::move(*calendar);
}

}  // namespace

std::optional<market::Status> parse_market_status(std::string_view name) {
    if (name == "open") return market::Status::regular;
    if (name == "extended") return market::Status::after_hours;
    return value_of(market::kStatuses, name);
}

std::string rule_pointer(std::size_t rule) { return "/rules/" + std::to_string(rule); }

tl::expected<Policy, FieldErrors> parse_policy(const json& definition) {
    Policy policy;
    policy.model = definition.at("model");
    policy.form = definition.value("form", std::string(kExactForm));
    policy.fallback = definition.value(
        "fallback",
        std::vector<std::string>{std::string(kPreferred), "distilbert", std::string(kVader)});
    FieldErrors errors;
    const auto rules = definition.value("rules", json::array());
    for (std::size_t i = 0; i < rules.size(); ++i) {
        policy.rules.push_back(rule_of(rules[i]));
        if (policy.rules.back().markets.empty() && policy.rules.back().sources.empty()) {
            errors.push_back({rule_pointer(i), "condition",
                              "A rule needs markets, sources or both; the policy's \"model\" "
                              "covers everything else."});
        }
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < policy.fallback.size(); ++i) {
        if (!seen.insert(policy.fallback[i]).second) {
            errors.push_back({"/fallback/" + std::to_string(i), "loop",
                              "\"" + policy.fallback[i] +
                                  "\" is already in the chain: each model is tried once."});
        } else if (seen.contains(std::string(kVader)) && policy.fallback[i] != kVader) {
            errors.push_back({"/fallback/" + std::to_string(i), "unreachable",
                              "It comes after vader, which is always available."});
        }
    }
    for (const char* member : kClockMembers)
        if (is_given(definition, member)) policy.clock[member] = definition.at(member);
    if (policy.clock.is_null()) policy.clock = json::object();
    if (auto clock = parse_clock(policy.clock); !clock)
        std::ranges::move(clock.error(), std::back_inserter(errors));
    if (!errors.empty()) return tl::unexpected(std::move(errors));
    return policy;
}

tl::expected<market::Clock, FieldErrors> parse_clock(const json& definition) {
    TRY(auto calendar, calendar_of(definition));
    TRY(auto overrides, overrides_of(definition, calendar));
    market::ClockRules rules{.calendar = std::move(calendar),
                             .hold_seconds = definition.value("hold_minutes", 0) * kMinute,
                             .overrides = std::move(overrides),
                             .always = {}};
    if (is_given(definition, "market_status"))
        rules.always = parse_market_status(definition.at("market_status").get<std::string>());
    return market::Clock(std::move(rules));
}

}  // namespace plimsoll::jobs::sentiment
