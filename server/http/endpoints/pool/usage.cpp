// Endpoint of usage, for accounting.
#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/jobs/records/results_converter.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::http::endpoints {

using std::chrono::days;

namespace {

constexpr int kMaxRows = 10'000;
constexpr days kDefaultPeriod{7};
constexpr days kLongestPeriod{400};
constexpr std::array<jobs::Column, 11> kColumns = {{{"start"},
                                                    {"team_id"},
                                                    {"team"},
                                                    {"user_id"},
                                                    {"user"},
                                                    {"kind"},
                                                    {"model"},
                                                    {"device_seconds"},
                                                    {"tasks"},
                                                    {"items"},
                                                    {"jobs"}}};

Problem broken_query(std::string parameter, std::string rule) {
    Problem problem(400, "A parameter is invalid.");
    problem.errors.push_back({{}, std::move(parameter), std::move(rule)});
    return problem;
}

// The contract checks the words; none may be repeated, and a period has one length.
std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts;
    int periods = 0;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find(',', begin), text.size());
        auto part = text.substr(begin, end - begin);
        if (std::ranges::find(parts, part) != parts.end())
            throw Refused(broken_query("group_by", "must not repeat a name"));
        periods += part == "hour" || part == "day" || part == "month";
        parts.push_back(std::move(part));
        begin = end + 1;
    }
    if (periods > 1)
        throw Refused(broken_query("group_by", "must name at most one of hour, day and month"));
    return parts;
}

queue::UsageQuery query_of(const Call& call, Timestamp now) {
    queue::UsageQuery query;
    const auto to = time_parameter(call, "to").value_or(now);
    const auto from = time_parameter(call, "from").value_or(to - kDefaultPeriod);
    if (from >= to) throw Refused(broken_query("from", "must be before \"to\""));
    if (to - from > kLongestPeriod)
        throw Refused(broken_query("from", "must be at most 400 days before \"to\""));
    query.by = parts_of(call.parameters.text("group_by").value_or("day"));
    query.from = from;
    query.to = to;
    query.limit = kMaxRows + 1;
    const bool administers_all = has_scope(call.principal, "sys:admin");
    if (!administers_all) query.team = call.principal.team.id;
    if (const auto text = call.parameters.text("team_id")) {
        const auto team = team_id_of(*text);
        if (!administers_all && team != call.principal.team.id)
            throw Refused(404, "The team was not found.");
        query.team = team;
    }
    return query;
}

json amounts(const queue::Usage& usage) {
    return {{"device_seconds", usage.device_seconds},
            {"tasks", usage.tasks},
            {"items", usage.items},
            {"jobs", usage.jobs}};
}

json usage_json(const queue::Usage& usage) {
    auto shown = amounts(usage);
    shown["start"] = time_or_null(usage.start);
    shown["team"] = nullptr;
    shown["user"] = nullptr;
    if (usage.team) shown["team"] = {{"id", to_public(*usage.team)}, {"name", usage.team_name}};
    if (usage.user)
        shown["user"] = {{"id", to_public(*usage.user)}, {"name", text_or_null(usage.user_name)}};
    shown["kind"] = text_or_null(usage.kind);
    shown["model"] = text_or_null(usage.model);
    return shown;
}

json usage_row(const queue::Usage& usage) {
    auto row = amounts(usage);
    row["start"] = time_or_null(usage.start);
    if (usage.team) row["team_id"] = to_public(*usage.team);
    row["team"] = text_or_null(usage.team_name);
    if (usage.user) row["user_id"] = to_public(*usage.user);
    row["user"] = text_or_null(usage.user_name);
    row["kind"] = text_or_null(usage.kind);
    row["model"] = text_or_null(usage.model);
    return row;
}

Response table(const std::vector<queue::Usage>& rows) {
    std::string text;
    jobs::append_csv_header(text, kColumns);
    for (const auto& row : rows) jobs::append_csv_row(text, kColumns, {}, usage_row(row));
    auto response = text_response("text/csv", std::move(text));
    response.with("Content-Disposition", "attachment; filename=\"usage.csv\"");
    return response;
}

json page(const queue::UsageQuery& query, const std::vector<queue::Usage>& rows) {
    queue::Usage total;
    auto items = json::array();
    for (const auto& row : rows) {
        items.push_back(usage_json(row));
        total.device_seconds += row.device_seconds;
        total.tasks += row.tasks;
        total.items += row.items;
        total.jobs += row.jobs;
    }
    return {{"from", to_rfc3339(query.from)},
            {"to", to_rfc3339(query.to)},
            {"group_by", query.by},
            {"items", std::move(items)},
            {"total", amounts(total)}};
}

enum class Form { page, table };

awaitable<Response> usage(const Call& call, queue::ShareStore& store, Timestamp now, Form form) {
    const auto query = query_of(call, now);
    const auto rows = need(co_await store.usage(query));
    if (rows.size() > kMaxRows) {
        throw Refused(broken_query(
            "group_by",
            "gives more than 10000 rows: group by fewer dimensions, or request a shorter period"));
    }
    if (form == Form::table) co_return table(rows);
    co_return json_response(200, page(query, rows));
}

}  // namespace

void add_usage(Handlers& handlers, queue::ShareStore& store, const Clock& clock) {
    handlers["getUsage"] = [&store, &clock](const Call& call) {
        return usage(call, store, clock.now(), Form::page);
    };
    handlers["getUsageCsv"] = [&store, &clock](const Call& call) {
        return usage(call, store, clock.now(), Form::table);
    };
}

}  // namespace plimsoll::http::endpoints
