#include "server/cli/resource.hpp"
#include "server/terminal/flag_values.hpp"

#include <cstdio>

#include <boost/url/params_encoded_view.hpp>
#include <boost/url/url.hpp>

namespace plimsoll::cli {
namespace {

struct UsageOptions {
    std::string from;  // empty: a week before `to`
    std::string to;    // empty: now
    std::string by = "day";
    std::string team;
    bool csv = false;
};

std::string target_of(const UsageOptions& options) {
    boost::urls::url target(options.csv ? "/v1/usage.csv" : "/v1/usage");
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) target.params().append({name, value});
    };
    add("from", options.from);
    add("to", options.to);
    add("group_by", options.by);
    add("team_id", options.team);
    return std::string(target.buffer());
}

std::vector<std::string> row_of(const json& amounts, std::vector<std::string> row) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.2f", amounts.at("device_seconds").get<double>());
    row.emplace_back(seconds);
    for (const auto* member : {"tasks", "items", "jobs"})
        row.push_back(std::to_string(amounts.at(member).get<std::int64_t>()));
    return row;
}

// Columns of what it is grouped by, and no others.
std::string table_of(const CommandContext& context, const json& usage) {
    const auto by = usage.at("group_by").get<std::vector<std::string>>();
    std::vector<std::string> header;
    for (const auto& part : by) {
        header.push_back(part == "team"    ? "TEAM"
                         : part == "user"  ? "USER"
                         : part == "kind"  ? "KIND"
                         : part == "model" ? "MODEL"
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
                const bool named = part == "kind" || part == "model";
                row.push_back(text_of(item, named ? part.c_str() : "start"));
            }
        }
        rows.push_back(row_of(item, std::move(row)));
    }
    std::vector<std::string> last(by.size());
    last.front() = "total";
    rows.push_back(row_of(usage.at("total"), std::move(last)));
    return format_table(context.terminal, rows);
}

void show_usage(const CommandContext& context, UsageOptions options) {
    need(terminal::read_moments({{"--from", &options.from}, {"--to", &options.to}}));
    auto api = need(client::signed_in());
    const auto reply = need(api.send("GET", target_of(options)));
    if (options.csv) {
        std::fwrite(reply.body.data(), 1, reply.body.size(), stdout);
        return;
    }
    const auto usage = json::parse(reply.body);
    context.terminal.line(context.json ? usage.dump(2) : table_of(context, usage));
}

}  // namespace

void add_usage(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<UsageOptions>();
    auto* command = app.add_subcommand("usage", "Show usage by team, user, kind, model and hour");
    command->add_option(
        "--from", options->from,
        "Start of the period: a time, or an age (90m, 24h, 7d; default: a week before the end)");
    command->add_option("--to", options->to, "End of the period: a time, or an age (default: now)");
    command
        ->add_option(
            "--by", options->by,
            "Group by hour, day or month, and by team, user, kind or model; separated by commas")
        ->capture_default_str();
    command->add_option("--team", options->team, "Only this team, by ID");
    command->add_flag("--csv", options->csv, "Print CSV");
    command->callback([&context, options] { show_usage(context, *options); });
}

}  // namespace plimsoll::cli
