#include "server/postgres/jobs/job_search.hpp"

#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/sql.hpp"

#include <algorithm>
#include <limits>

namespace plimsoll::postgres {

using queue::JobFilter;

namespace {

using Number = std::optional<std::int64_t>;
using Text = std::optional<std::string>;

// A job's id is its creation day, counted from 1970 in UTC, and a number below this.
constexpr int kDayShift = 40;

std::int64_t first_of_day(std::chrono::sys_days day) {
    constexpr auto kLastDay = std::numeric_limits<std::int64_t>::max() >> kDayShift;
    return std::clamp<std::int64_t>(day.time_since_epoch().count(), 0, kLastDay) << kDayShift;
}

// The range of ids that can match, which also determines the partitions that are read.
struct Range {
    Number below;
    Number from;
};

Range range_of(const JobFilter& filter) {
    Range range;
    if (filter.before) range.below = filter.before->value;
    if (filter.created_from)
        range.from = first_of_day(std::chrono::floor<std::chrono::days>(*filter.created_from));
    const auto below = [&](std::int64_t id) {
        range.below = std::min(id, range.below.value_or(id));
    };
    if (filter.created_before) {
        const auto day = std::chrono::floor<std::chrono::days>(*filter.created_before);
        below(first_of_day(day + std::chrono::days(1)));
    }
    if (filter.only) {
        below(filter.only->value + 1);
        range.from = std::max(filter.only->value, range.from.value_or(0));
    }
    return range;
}

// Words as patterns of LIKE that match them anywhere.
std::optional<std::vector<std::string>> patterns_of(const std::vector<std::string>& words) {
    if (words.empty()) return std::nullopt;
    std::vector<std::string> patterns;
    for (const auto& word : words) {
        auto& pattern = patterns.emplace_back("%");
        for (const char c : word) {
            if (c == '%' || c == '_' || c == '\\') pattern += '\\';
            pattern += c;
        }
        pattern += '%';
    }
    return patterns;
}

Number id_of(const std::optional<UserId>& user) {
    if (!user) return std::nullopt;
    return user->value;
}

// The jobs among which the filter's are, where they are listed apart.
Text standing_of(const JobFilter& filter) {
    const bool unfinished = filter.state && !queue::is_final(*filter.state);
    if (filter.unfinished || unfinished) return "unfinished";
    if (!filter.state || *filter.state == queue::JobState::succeeded) return std::nullopt;
    return std::string(to_string(*filter.state));
}

bool has_index(const JobFilter& filter) {
    return !filter.unfinished && !filter.submitter && filter.submitter_name.empty() &&
           !filter.created_from && !filter.created_before && filter.device_class.empty() &&
           filter.device.empty() && filter.words.empty() && !filter.only;
}

Statement indexed_query(const JobFilter& filter) {
    Number before;
    if (filter.before) before = filter.before->value;
    Text state;
    if (filter.state) state = std::string(to_string(*filter.state));
    const auto kind = unless_empty(filter.kind);
    if (!filter.label_key.empty()) {
        return Statement::of(sql::jobs_list_labelled, before, kind, state, filter.limit,
                             filter.label_key, unless_empty(filter.label_value));
    }
    auto standing = standing_of(filter);
    if (!standing) return Statement::of(sql::jobs_list, before, kind, state, filter.limit);
    return Statement::of(sql::jobs_list_standing, before, kind, state, filter.limit, *standing);
}

}  // namespace

Statement list_query(const JobFilter& filter) {
    if (has_index(filter)) return indexed_query(filter);
    const auto range = range_of(filter);
    Text state;
    if (filter.state) state = std::string(to_string(*filter.state));
    return Statement::of(
        sql::jobs_search, range.below, range.from, unless_empty(filter.kind), standing_of(filter),
        state, filter.limit, unless_empty(filter.label_key), unless_empty(filter.label_value),
        id_of(filter.submitter), unless_empty(filter.submitter_name), filter.created_from,
        filter.created_before, unless_empty(filter.device_class), patterns_of(filter.words),
        queue::kJobsExamined, unless_empty(filter.node), unless_empty(filter.device));
}

queue::FoundJobs to_found(const Rows& rows) {
    queue::FoundJobs found;
    for (const Row row : rows) {
        const auto examined_to = row.get<Number>("examined_to");
        if (examined_to) found.examined_to = JobId{*examined_to};
        if (row.get<Number>("id")) found.jobs.push_back(to_job(row));
    }
    return found;
}

Statement count_query(const JobFilter& filter) {
    const auto range = range_of(filter);
    return Statement::of(
        sql::jobs_count, range.below, range.from, unless_empty(filter.kind),
        unless_empty(filter.label_key), unless_empty(filter.label_value), id_of(filter.submitter),
        unless_empty(filter.submitter_name), filter.created_from, filter.created_before,
        unless_empty(filter.device_class), patterns_of(filter.words), queue::kJobsExamined,
        unless_empty(filter.node), unless_empty(filter.device));
}

queue::JobCounts to_counts(const Rows& rows) {
    queue::JobCounts counts;
    std::int64_t unfinished = 0, ended = 0;
    for (const Row row : rows) {
        const auto state = queue::parse_job_state(row.get<std::string>("state")).value();
        counts.jobs[state] = row.get<std::int64_t>("jobs");
        (queue::is_final(state) ? ended : unfinished) += row.get<std::int64_t>("examined");
    }
    counts.complete = std::max(unfinished, ended) < queue::kJobsExamined;
    return counts;
}

}  // namespace plimsoll::postgres
