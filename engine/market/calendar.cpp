#include "engine/market/calendar.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::market {
namespace {

using std::chrono::days;
using std::chrono::local_days;

constexpr std::int64_t kDay = 86400;

// The moment of a local time; the first of two, or the moment of the clock change if it is skipped.
std::int64_t moment(const zones::Zone& zone, local_days day, int minutes) {
    return zone.shown(day.time_since_epoch().count() * kDay + minutes * 60).instant.seconds;
}

local_days day_of(const zones::Zone& zone, std::int64_t seconds) {
    const std::chrono::local_seconds local{std::chrono::seconds(seconds + zone.offset(seconds))};
    return std::chrono::floor<days>(local);
}

local_days new_year(int year) {
    return local_days(std::chrono::year(year) / std::chrono::January / 1);
}

}  // namespace

Calendar::Calendar(CalendarRules rules)
    : rules_(std::move(rules)),
      first_(moment(rules_.zone, new_year(rules_.first_year), 0)),
      last_(moment(rules_.zone, new_year(rules_.last_year + 1), 0)) {}

const SpecialDay* Calendar::special(Date date) const {
    const auto found = std::ranges::lower_bound(rules_.special, date, {}, &SpecialDay::date);
    return found != rules_.special.end() && found->date == date ? &*found : nullptr;
}

void Calendar::add_sessions(local_days day, std::vector<Span>& to) const {
    const SpecialDay* differs = special(Date(day));
    const auto weekday = std::chrono::weekday(day).c_encoding();
    if (differs != nullptr ? differs->closed : !rules_.weekdays[weekday]) return;
    const Hours& hours = differs != nullptr ? differs->hours : rules_.hours;
    const auto add = [&](int from, int until, Status status) {
        if (from == until) return;
        const Span span{moment(rules_.zone, day, from), moment(rules_.zone, day, until), status};
        if (!to.empty() && to.back().end == span.begin && to.back().status == status)
            to.back().end = span.end;  // over midnight
        else
            to.push_back(span);
    };
    add(hours.pre_market, hours.open, Status::pre_market);
    add(hours.open, hours.close, Status::regular);
    add(hours.close, hours.end, Status::after_hours);
}

Result<Span> Calendar::at(std::int64_t seconds) const {
    TRY(auto around, spans(seconds, seconds + 1));
    return around.front();
}

Result<std::vector<Span>> Calendar::spans(std::int64_t from, std::int64_t until) const {
    if (from < first_ || until > last_ || from >= until) {
        return fail(Errc::invalid_input, "The calendar " + rules_.name + " covers the years " +
                                             std::to_string(rules_.first_year) + " to " +
                                             std::to_string(rules_.last_year) + ".");
    }
    // With whole sessions at both ends, searched further and further away: exchanges are rarely
    // closed for long, and some never.
    const auto first_day = new_year(rules_.first_year);
    const auto last_day = new_year(rules_.last_year + 1) - days(1);
    std::vector<Span> sessions;
    for (int margin = 1;; margin *= 8) {
        sessions.clear();
        const auto begin = std::max(day_of(rules_.zone, from) - days(margin), first_day);
        const auto end = std::min(day_of(rules_.zone, until) + days(margin), last_day);
        for (auto day = begin; day <= end; day += days(1)) add_sessions(day, sessions);
        const bool is_begun = !sessions.empty() && sessions.front().begin <= from &&
                              sessions.front().begin > moment(rules_.zone, begin, 0);
        const bool is_ended = !sessions.empty() && sessions.back().end >= until &&
                              sessions.back().end < moment(rules_.zone, end + days(1), 0);
        if ((is_begun || begin == first_day) && (is_ended || end == last_day)) break;
    }
    std::vector<Span> all;
    std::int64_t done = first_;
    for (const Span& session : sessions) {
        if (session.begin > done) all.push_back({done, session.begin, Status::closed});
        all.push_back(session);
        done = session.end;
    }
    if (done < last_) all.push_back({done, last_, Status::closed});
    std::erase_if(all, [&](const Span& span) { return span.end <= from || span.begin >= until; });
    return all;
}

}  // namespace plimsoll::market
