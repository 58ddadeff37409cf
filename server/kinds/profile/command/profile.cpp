#include "engine/base/json.hpp"
#include "server/base/addresses.hpp"
#include "server/client/session.hpp"
#include "server/http/contract/argument_flags.hpp"
#include "server/jobs/command.hpp"
#include "server/jobs/settings.hpp"
#include "server/kinds/profile/command/report_file.hpp"
#include "server/kinds/profile/contract/settings.hpp"
#include "server/terminal/argument_options.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/field_flags.hpp"
#include "server/terminal/files/job_file.hpp"
#include "server/terminal/finding.hpp"
#include "server/terminal/follow_job.hpp"
#include "server/terminal/list.hpp"
#include "server/terminal/terminal.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace plimsoll::jobs::profile {
namespace {

using terminal::CommandContext;
using terminal::need;
using terminal::Refused;
using terminal::text_of;

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::chrono::seconds kPatience{3};

// Why a connection fails; nothing if it succeeds.
std::optional<std::string> refusal(const LlmEndpoint& endpoint, const Networks& networks) {
    asio::io_context io(1);
    tcp::resolver resolver(io);
    tcp::socket socket(io);
    std::string why = "no response within " + std::to_string(kPatience.count()) + " s";
    bool connected = false;
    resolver.async_resolve(
        endpoint.host, endpoint.port,
        [&](const boost::system::error_code& unknown, const tcp::resolver::results_type& found) {
            if (unknown) {
                why = unknown.message();
                return;
            }
            if (std::ranges::any_of(found, [&](const auto& entry) {
                    const auto address = entry.endpoint().address();
                    return !is_public(address) && !networks.contain(address);
                })) {
                why = "its address is neither public nor in llm.allowed_networks";
                return;
            }
            asio::async_connect(socket, found,
                                [&](const boost::system::error_code& refused, const auto&) {
                                    if (refused) why = refused.message();
                                    connected = !refused;
                                });
        });
    io.run_for(kPatience);
    return connected ? std::nullopt : std::optional(why);
}

// For `plimsoll doctor`: whether the language model endpoints are reachable from here.
std::vector<terminal::Finding> examine(const KindSettings& settings) {
    using Grade = terminal::Finding::Grade;
    const auto llm = llm_settings(settings);
    if (llm.endpoints.empty()) {
        return {{Grade::good, "LLM",
                 "No endpoint is configured (llm.endpoints): profiles measure no language model.",
                 ""}};
    }
    const auto networks = Networks::parse(llm.networks).value();  // checked with the settings
    std::vector<terminal::Finding> findings;
    for (const auto& endpoint : llm.endpoints) {
        const auto place = endpoint.host + ":" + endpoint.port;  // the rest may hold a key
        const auto why = refusal(endpoint, networks);
        findings.push_back(
            why ? terminal::Finding{Grade::remark, "LLM",
                                    "The endpoint at " + place + " does not respond: " + *why + ".",
                                    "Start it, or correct llm.endpoints (LLM_ENDPOINT_URL)."}
                : terminal::Finding{Grade::good, "LLM",
                                    "The endpoint at " + place + " responds; the model is " +
                                        llm.model + " unless a job names one.",
                                    ""});
    }
    return findings;
}

struct Figure {
    std::string name;
    std::string unit;
    double value = 0;
};

void add_curve(const std::string& model, const json& curve, std::vector<Figure>& figures) {
    const auto found = curve.find("recommended_items_per_second");
    if (found == curve.end() || !found->is_number()) return;
    figures.push_back({model + curve.value("name", ""), curve.value("items", "items") + "/s",
                       found->get<double>()});
}

// A member of a report, if present; reports of other programs may lack it.
std::vector<Figure> figures_of(const json& report) {
    std::vector<Figure> figures;
    if (const auto engine = report.find("engine"); engine != report.end() && engine->is_object()) {
        if (engine->contains("batches")) add_curve("", engine->at("batches"), figures);
        for (const auto* member : {"peak", "products", "rows", "attention"}) {
            for (const auto& rate : engine->value(member, json::array())) {
                const auto method = rate.value("method", "");
                figures.push_back({rate.value("name", "") + (method.empty() ? "" : ", " + method),
                                   rate.value("unit", ""), rate.value("value", 0.0)});
            }
        }
    }
    const auto add = [&](const std::string& name, const char* unit, const json& in,
                         const char* member) {
        if (const auto found = in.find(member); found != in.end() && found->is_number())
            figures.push_back({name, unit, found->get<double>()});
    };
    if (const auto pair = report.find("pair"); pair != report.end() && pair->is_object())
        add("both at once", "times as fast", *pair, "speedup");
    const auto system = report.value("system_info", json::object());
    add("memory in use", "MB", system, "used_mb");
    add("temperature", "°C", system, "temperature_c");
    for (const auto& model : report.at("results")) {
        const auto name = model.value("model_name", "");
        add(name + ", one at a time", "items/s", model, "items_per_second");
        add(name + ", device memory", "MB", model, "vram_used_mb");
        for (const auto& curve : model.value("lengths", json::array()))
            add_curve(name + " ", curve, figures);
    }
    return figures;
}

std::string percent(double value) {
    char text[48];
    std::snprintf(text, sizeof text, "%+.1f %%", value);
    return text;
}

// The changes, in percent, of throughputs and rates that both reports have; a table for a terminal.
std::string changes_text(const terminal::Terminal& terminal, const json& before, const json& now) {
    std::map<std::string, double> was;
    for (const auto& figure : figures_of(before)) was[figure.name] = figure.value;
    std::vector<std::vector<std::string>> rows = {
        {"SINCE THE BASELINE", "BEFORE", "NOW", "CHANGE"}};
    for (const auto& figure : figures_of(now)) {
        const auto found = was.find(figure.name);
        if (found == was.end() || found->second == 0) continue;
        rows.push_back({figure.name, format_figure(found->second) + " " + figure.unit,
                        format_figure(figure.value) + " " + figure.unit,
                        percent((figure.value / found->second - 1) * 100)});
    }
    if (rows.size() == 1) return "The baseline and this report have no measurement in common.";
    return format_table(terminal, rows);
}

struct Options {
    terminal::ArgumentOptions<http::ArgumentFlag> args{http::argument_flags(), "ProfileArgs",
                                                       "profile"};
    std::string output_folder = "out/profiling";
    std::string baseline;  // file of an earlier report; empty: the team's, if it pinned one
    bool pin = false;      // makes the report the team's baseline
};

json read(const std::string& file) {
    std::ifstream in(file);
    auto report = json::parse(in, nullptr, false);
    if (!report.is_object() || !report.contains("results"))
        throw Refused(Errc::invalid_input, "The file is not a profile report.", file);
    return report;
}

// The changes since the report that the team pinned for comparable ones; empty if there is none or
// it is this report.
Result<std::string> changes_since_pinned(const CommandContext& context, client::ApiClient& api,
                                         const std::string& id, const json& summary) {
    TRY(const auto found, api.get_json("/v1/jobs/" + id + "/baseline"));
    const json& baseline = found.at("baseline");
    if (baseline.is_null() || text_of(baseline, "job_id") == id) return "";
    auto job = text_of(baseline, "job_id");
    if (job.empty()) job = "a job that has been deleted";
    return changes_text(context.terminal, found.at("summary"), summary) +
           "\nThe baseline is the report of " + job + ", pinned at " +
           text_of(baseline, "pinned_at") + ".";
}

// Runs a job of this kind, writes its summary to a file and shows it with the changes since the
// baseline.
int measure(const CommandContext& context, const Options& options) {
    json baseline;
    if (!options.baseline.empty() && context.json) {
        throw Refused(Errc::invalid_input,
                      "--baseline has no effect with --json, which prints the report: "
                      "omit one of them.");
    }
    if (!options.baseline.empty()) baseline = read(options.baseline);
    auto api = need(client::signed_in());
    need(check_folder(options.output_folder));
    json args = json::object();
    options.args.put_into(args);
    if (const auto model = args.find("sentiment_model"); model != args.end())
        *model = terminal::model_name(*model);
    const auto job =
        need(api.post_json("/v1/jobs", {{"kind", "profile"}, {"args", args}}), options.args);
    const auto id = job.value("id", "");
    context.terminal.note("Submitted " + id);
    const int code = follow_job(context, id, terminal::Ending::note);
    const auto report = api.get_json("/v1/jobs/" + id + "/report");
    if (!report && code != 0) return code;
    // What succeeded is kept if parts failed.
    const auto kept = need(report);
    const json& summary = kept.at("summary");
    const auto file = need(write_report(options.output_folder, summary, std::time(nullptr)));
    if (!context.json) {
        context.terminal.line(summary_text(summary, table_width(context.terminal)));
        const auto changes = baseline.is_null()
                                 ? need(changes_since_pinned(context, api, id, summary))
                                 : changes_text(context.terminal, baseline, summary);
        if (!changes.empty()) context.terminal.line("\n" + changes);
    }
    context.terminal.line(context.json ? summary.dump(2) : file.string());
    if (options.pin) {
        const auto pinned = need(api.put_json("/v1/jobs/" + id + "/baseline", nullptr));
        context.terminal.note("Baseline of " + text_of(pinned, "comparison_key") + ".");
    }
    return code;
}

void add(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<Options>();
    auto* command =
        app.add_subcommand("profile", "Measure a device and a model, and write a report file");
    options->args.add_to(*command);
    command
        ->add_option("--output-dir", options->output_folder,
                     "Folder for the report, gpu_profile_YYYYmmdd_HHMMSS.json; a second report in "
                     "the same second gets the suffix _2")
        ->capture_default_str();
    command
        ->add_option("--baseline", options->baseline,
                     "Compare with this report file instead of the team's baseline")
        ->check(CLI::ExistingFile);
    command->add_flag("--pin", options->pin, "Make the report the team's baseline");
    command->callback([&context, options] { context.exit_code = measure(context, *options); });
}

}  // namespace

constinit extern const Command kCommand{.kind = "profile",
                                        .add = add,
                                        .summary_text = summary_text,
                                        .read_file = terminal::read_arguments_file,
                                        .examine = examine};

}  // namespace plimsoll::jobs::profile
