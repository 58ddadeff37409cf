// `plimsoll policy report`: what models used over the last N hours, against one fixed model.
#include "server/client/session.hpp"
#include "server/kinds/sentiment/command/commands.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/list.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/url/params_encoded_view.hpp>
#include <boost/url/url.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;
using terminal::CommandContext;
using terminal::need;

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
    std::string text = written("%.3g", report.at("device_seconds").get<double>()) +
                       " device-seconds; " + model + " alone would have used " +
                       written("%.3g", fixed.at("device_seconds").get<double>()) + " (" +
                       fixed.at("basis").get<std::string>() +
                       "): " + number_or_blank(fixed.at("saved_percent"), "%.1f") +
                       " % saved; the guide expects " + promised + " %.";
    if (!fixed.at("saved_memory_percent").is_null()) {
        text += "\n" + number_or_blank(report.at("mean_memory_bytes"), "%.0f", kMebibyte) +
                " MiB of device memory on average; " + model + " would use " +
                number_or_blank(fixed.at("memory_bytes"), "%.0f", kMebibyte) +
                " MiB: " + number_or_blank(fixed.at("saved_memory_percent"), "%.1f") + " % saved.";
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
