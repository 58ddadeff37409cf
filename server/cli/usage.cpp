#include "server/cli/rest_commands.hpp"
#include "server/terminal/members.hpp"

#include <cstdio>

#include <boost/url/params_encoded_view.hpp>
#include <boost/url/url.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::client {
namespace {

using nlohmann::json;

std::string target_of(const UsageOptions& options) {
    boost::urls::url target("/v1/usage");
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) target.params().append({name, value});
    };
    add("from", options.from);
    add("to", options.to);
    add("group_by", options.by);
    add("team_id", options.team);
    add("format", options.csv ? "csv" : "json");
    return std::string(target.buffer());
}

std::vector<std::string> row_of(const json& amounts, std::vector<std::string> row) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.2f", amounts.at("device_seconds").get<double>());
    row.emplace_back(seconds);
    for (const auto* member : {"tasks", "items", "jobs"}) {
        row.push_back(std::to_string(amounts.at(member).get<std::int64_t>()));
    }
    return row;
}

// Columns of what it is grouped by, and no others.
std::string table_of(const Session& session, const json& usage) {
    const auto by = usage.at("group_by").get<std::vector<std::string>>();
    std::vector<std::string> header;
    for (const auto& part : by) {
        header.push_back(part == "team"   ? "TEAM"
                         : part == "user" ? "USER"
                         : part == "kind" ? "KIND"
                                          : "FROM");
    }
    for (const auto* name : {"DEVICE-SECONDS", "TASKS", "ITEMS", "JOBS"}) header.emplace_back(name);
    std::vector<std::vector<std::string>> rows = {header};
    for (const auto& item : usage.at("items")) {
        std::vector<std::string> row;
        for (const auto& part : by) {
            if (part == "team" || part == "user") {
                const auto name = text_of(item.at(part), "name");
                row.push_back(name.empty() ? text_of(item.at(part), "id") : name);
            } else {
                row.push_back(text_of(item, part == "kind" ? "kind" : "start"));
            }
        }
        rows.push_back(row_of(item, std::move(row)));
    }
    std::vector<std::string> last(by.size());
    last.front() = "total";
    rows.push_back(row_of(usage.at("total"), std::move(last)));
    return format_table(session.terminal, rows);
}

}  // namespace

int show_usage(const Session& session, const UsageOptions& options) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    const auto reply = api->send("GET", target_of(options));
    if (!reply) return report_error(session, reply.error());
    if (options.csv) {
        std::fwrite(reply->body.data(), 1, reply->body.size(), stdout);
        return 0;
    }
    const auto usage = json::parse(reply->body);
    session.terminal.line(session.json ? usage.dump(2) : table_of(session, usage));
    return 0;
}

}  // namespace plimsoll::client
