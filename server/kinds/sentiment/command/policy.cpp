// `plimsoll policy`: the rules that choose the model of a text.
//
// `plimsoll policy report`: what models used over the last N hours, against one fixed model.
#include "engine/base/json.hpp"
#include "server/client/lists.hpp"
#include "server/client/session.hpp"
#include "server/kinds/sentiment/command/commands.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/list.hpp"

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/url/params_encoded_view.hpp>
#include <boost/url/url.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using terminal::CommandContext;
using terminal::need;
using terminal::Refused;

struct PolicyFlags {
    std::string id;
    std::string file;
    std::string source;
    std::string at;
    int days = 7;
};

std::string path_of(const std::string& id) { return "/v1/policies/" + id; }

std::string joined_names(const json& names) {
    std::string text;
    for (const json& name : names) text += (text.empty() ? "" : ", ") + name.get<std::string>();
    return text;
}

void list(const CommandContext& context) {
    const auto answer = need(client::whole_list("/v1/policies"));
    const json& items = answer.at("items");
    if (context.json) return context.terminal.line(items.dump(2));
    std::vector<std::vector<std::string>> rows = {
        {"POLICY", "MODEL", "RULES", "MISSING", "PURPOSE"}};
    for (const json& policy : items) {
        const json& definition = policy.at("definition");
        rows.push_back({policy.at("id"), definition.at("model"),
                        std::to_string(definition.value("rules", json::array()).size()),
                        joined_names(policy.at("missing")), definition.value("description", "")});
    }
    context.terminal.line(format_table(context.terminal, rows));
}

void show(const CommandContext& context, const PolicyFlags& flags) {
    auto api = need(client::signed_in());
    auto policy = need(api.get_json(path_of(flags.id)));
    context.terminal.line((context.json ? policy : policy.at("definition")).dump(2));
}

// The file holds a SentimentPolicyUpdate of the contract.
void set(const CommandContext& context, const PolicyFlags& flags) {
    std::ifstream input(flags.file);
    std::stringstream text;
    if (!(input && text << input.rdbuf()))
        throw Refused(Errc::not_found, "The file cannot be read.", flags.file);
    if (!json::accept(text.str()))
        throw Refused(Errc::invalid_input, "The file is not JSON.", flags.file);
    auto api = need(client::signed_in());
    auto made = need(
        api.send("PUT", path_of(flags.id), text.str(), {{"content-type", "application/json"}}));
    if (context.json) return context.terminal.line(made.body);
    context.terminal.line("Jobs can name it: --set policy=" + flags.id);
    const auto missing = json::parse(made.body).at("missing");
    if (!missing.empty()) {
        context.terminal.note("No worker has " + joined_names(missing) +
                              ": until one does, the next model in the fallback chain is used.");
    }
}

void remove(const CommandContext& context, const PolicyFlags& flags) {
    remove_item(context, "/v1/policies", flags.id);
}

std::string choice_text(const json& choice) {
    auto text = choice.at("model").get<std::string>();
    if (const auto form = text_of(choice, "form"); !form.empty()) text += " in " + form;
    text += " (" + choice.at("reason").get<std::string>() + ")";
    if (!choice.at("fallback").is_null()) {
        text += " instead of " + choice.at("asked").get<std::string>() + ": " +
                choice.at("fallback").get<std::string>();
    }
    const auto until = text_of(choice, "market_until");
    return text + "; the market is " + choice.at("market").get<std::string>() +
           (until.empty() ? ", overridden" : " until " + until);
}

void preview(const CommandContext& context, const PolicyFlags& flags) {
    json body{{"policy_id", flags.id}, {"days", flags.days}};
    if (!flags.source.empty()) body["source"] = flags.source;
    if (!flags.at.empty()) body["at"] = flags.at;
    auto api = need(client::signed_in());
    auto answer = need(api.post_json("/v1/policy-previews", body));
    if (context.json) return context.terminal.line(answer.dump(2));
    context.terminal.line(choice_text(answer.at("choice")));
    std::vector<std::vector<std::string>> rows = {{"FROM", "MARKET", "MODEL", "RULE"}};
    for (const json& span : answer.at("spans")) {
        rows.push_back({span.at("from"), span.at("market"), span.at("model"),
                        span.at("rule").is_null() ? "" : std::to_string(span["rule"].get<int>())});
    }
    context.terminal.line(format_table(context.terminal, rows));
}

struct ReportFlags {
    int hours = 24;
    std::string against;
};

std::string written(const char* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string number_or_blank(const json& value, const char* format, double unit = 1) {
    return value.is_null() ? "" : written(format, value.get<double>() / unit);
}

constexpr double kMillisecond = 1e-3;
constexpr double kMebibyte = 1 << 20;

// "75.0 % saved", "0.3 % more".
std::string saved(const json& percent) {
    const bool is_more = percent.is_number() && percent.get<double>() < 0;
    return number_or_blank(is_more ? json(-percent.get<double>()) : percent, "%.1f") +
           (is_more ? " % more" : " % saved");
}

// Two lines: device-seconds, and memory.
std::string judgement(const json& report) {
    const json& fixed = report.at("fixed");
    if (fixed.is_null()) return "No worker has the fixed model: name another with --against.";
    const auto model = fixed.at("model").get<std::string>();
    const auto promised = std::to_string(report.at("promised_percent").get<int>());
    if (report.at("texts") == 0) return "No texts were scored in this period.";
    if (fixed.at("device_seconds").is_null()) {
        return "No text was scored on a device in this period, so the usage of " + model +
               " is unknown; no device-seconds were used.";
    }
    std::string text =
        written("%.3g", report.at("device_seconds").get<double>()) + " device-seconds; " + model +
        " alone would have used " + written("%.3g", fixed.at("device_seconds").get<double>()) +
        " (" + fixed.at("basis").get<std::string>() + "): " + saved(fixed.at("saved_percent")) +
        "; the guide expects " + promised + " %.";
    if (!fixed.at("saved_memory_percent").is_null()) {
        text += "\n" + number_or_blank(report.at("mean_memory_bytes"), "%.0f", kMebibyte) +
                " MiB of device memory on average; " + model + " would use " +
                number_or_blank(fixed.at("memory_bytes"), "%.0f", kMebibyte) +
                " MiB: " + saved(fixed.at("saved_memory_percent")) + ".";
    }
    return text;
}

void report(const CommandContext& context, const ReportFlags& flags) {
    boost::urls::url target("/v1/policy-report");
    target.params().append({"hours", std::to_string(flags.hours)});
    if (!flags.against.empty()) target.params().append({"against", flags.against});
    auto api = need(client::signed_in());
    auto answer = need(api.get_json(std::string(target.buffer())));
    if (context.json) return context.terminal.line(answer.dump(2));
    context.terminal.line(judgement(answer));
    std::vector<std::vector<std::string>> rows = {
        {"MODEL", "TEXTS", "SECONDS", "MS/TEXT", "HOURS", "MIB"}};
    for (const json& model : answer.at("models")) {
        rows.push_back({model.at("model"), std::to_string(model.at("texts").get<std::int64_t>()),
                        written("%.2f", model.at("seconds").get<double>()),
                        number_or_blank(model.at("seconds_per_text"), "%.3f", kMillisecond),
                        std::to_string(model.at("hours").get<int>()),
                        number_or_blank(model.at("memory_bytes"), "%.0f", kMebibyte)});
    }
    context.terminal.line(format_table(context.terminal, rows));
}

}  // namespace

void add_policy_commands(CLI::App& app, CommandContext& context) {
    const auto flags = std::make_shared<PolicyFlags>();
    auto* command = app.add_subcommand("policy", "Choose models by market hours and source");
    command->require_subcommand(1);
    command->add_subcommand("list", "List the policies that jobs can name")->callback([&context] {
        list(context);
    });
    const auto named = [&](const char* word, const char* help, auto act) {
        auto* sub = command->add_subcommand(word, help);
        sub->add_option("policy", flags->id, "ID of the policy, for example desk")->required();
        sub->callback([flags, &context, act] { act(context, *flags); });
        return sub;
    };
    named("show", "Print a policy as JSON, for `policy set`", show);
    named("set", "Create or replace a policy of the team", set)
        ->add_option("file", flags->file, "JSON: model, rules, fallback, calendar…")
        ->required()
        ->check(CLI::ExistingFile);
    named("remove", "Delete a policy of the team", remove);
    add_policy_report_command(*command, context);
    auto* ask =
        named("preview", "Show which model a policy chooses now and over the next days", preview);
    ask->add_option("--source", flags->source, "Source of the text, for example businesswire");
    ask->add_option("--at", flags->at,
                    "Time to start from, for example 2026-03-02T15:00:00Z (default: now)");
    ask->add_option("--days", flags->days, "Days to look ahead")
        ->check(CLI::Range(1, 31))
        ->capture_default_str();
}

void add_policy_report_command(CLI::App& policy, CommandContext& context) {
    const auto flags = std::make_shared<ReportFlags>();
    auto* command =
        policy.add_subcommand("report", "Compare recent device usage with that of one fixed model");
    command->add_option("--hours", flags->hours, "Hours to look back")
        ->check(CLI::Range(1, 168))
        ->capture_default_str();
    command->add_option("--against", flags->against,
                        "The fixed model: finbert, … (default: the server's model)");
    command->callback([flags, &context] { report(context, *flags); });
}

}  // namespace plimsoll::jobs::sentiment
