#include "server/cli/commands.hpp"
#include "server/client/job_id.hpp"
#include "server/jobs/command.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/report_text.hpp"
#include "server/terminal/table_width.hpp"

#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

// By the kind's own code, if this program has the same version of the kind as the server.
std::string readable(const CommandContext& context, const nlohmann::json& report) {
    try {
        const auto* kind = jobs::find_command(report.at("kind").get<std::string>());
        if (kind != nullptr && kind->summary_text != nullptr) {
            auto text = kind->summary_text(report.at("summary"), table_width(context.terminal));
            while (text.ends_with('\n')) text.pop_back();
            if (!text.empty()) return text;
        }
    } catch (const nlohmann::json::exception&) {
        // A server of another version: the members as they came.
    }
    return report_text(context.terminal, report);
}

}  // namespace

void show_report(const CommandContext& context, const std::string& given_id) {
    auto job_id = given_id;
    auto api = need(client::signed_in(job_id));
    auto report = need(api.get_json("/v1/jobs/" + job_id + "/report"));
    context.terminal.line(context.json ? report.dump(2) : readable(context, report));
}

void add_report(CLI::App& app, CommandContext& context) {
    const auto job = std::make_shared<std::string>();
    auto* command = app.add_subcommand("report", "Show a job's report");
    command->add_option("job", *job, "ID of the job")->required();
    command->callback([&context, job] { show_report(context, *job); });
}

}  // namespace plimsoll::cli
