#include "server/postgres/jobs/log_rows.hpp"

#include "server/postgres/jobs/job_rows.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

Statement log_query(TeamId team, JobId id, const queue::LogFilter& filter) {
    const auto least = filter.least ? std::optional(static_cast<int>(*filter.least)) : std::nullopt;
    return Statement::of(sql::jobs_log, team.value, id.value, filter.task, filter.attempt, least,
                         filter.from, filter.to, filter.after.task, filter.after.fence,
                         filter.after.number, filter.limit);
}

queue::JobLogLine to_log_line(const Row& row) {
    const auto text = [&row](const char* column) {
        return row.get<std::optional<std::string>>(column).value_or("");
    };
    queue::AttemptNews news{
        .what = row.get<std::string>("what"),
        .text = text("text"),
        .outcome = text("outcome"),
        .node = text("node"),
        .device = text("device"),
        .device_class = text("device_class"),
        .attempt = row.get<int>("attempt"),
        .seconds = row.get<std::optional<double>>("seconds"),
        .items_ok = row.get<std::optional<int>>("items_ok").value_or(0),
        .items_failed = row.get<std::optional<int>>("items_failed").value_or(0)};
    if (news.what == "ended") news.text = error_message(news.text);
    return {.place = {row.get<int>("task"), row.get<std::int64_t>("fence"), row.get<int>("n")},
            .merge = row.get<bool>("merge"),
            .attempt = news.attempt,
            .at = row.get<Timestamp>("at"),
            .level = static_cast<jobs::LogLevel>(row.get<int>("level")),
            .source = queue::source_of(news),
            .text = queue::text_of(news)};
}

}  // namespace plimsoll::postgres
