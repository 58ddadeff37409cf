#include "server/base/time.hpp"
#include "server/cli/resource.hpp"
#include "server/jobs/command.hpp"
#include "server/terminal/report_text.hpp"
#include "server/terminal/terminal.hpp"

#include <cstdio>

namespace plimsoll::cli {
namespace {

// By the kind's own code, if this program has the same version of the kind as the server.
std::string readable(const CommandContext& context, const json& report) {
    try {
        const auto* kind = jobs::find_command(report.at("kind").get<std::string>());
        if (kind != nullptr && kind->summary_text != nullptr) {
            auto text = kind->summary_text(report.at("summary"), table_width(context.terminal));
            while (text.ends_with('\n')) text.pop_back();
            if (!text.empty()) return text;
        }
    } catch (const json::exception&) {
        // A server of another version: the members as they came.
    }
    return report_text(context.terminal, report);
}

struct ResultsOptions {
    std::string job;
    std::string format = "jsonl";
    std::string file;  // empty: the standard output
    std::string contains;
    std::string label;
};

void download(ResultsOptions options) {
    auto api = need(client::signed_in(options.job));
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(
        options.file.empty() ? nullptr : std::fopen(options.file.c_str(), "wb"), std::fclose);
    if (!options.file.empty() && !opened)
        throw Refused(Errc::invalid_input, "The file cannot be written.", options.file);
    std::FILE* out = opened ? opened.get() : stdout;
    bool written = true;
    const std::string suffix = options.format == "json" ? "" : "." + options.format;
    const auto target =
        client::with_query("/v1/jobs/" + options.job + "/results" + suffix,
                           {{"contains", options.contains}, {"label", options.label}});
    need(api.stream(target, {}, [&](std::string_view piece) {
        written = std::fwrite(piece.data(), 1, piece.size(), out) == piece.size();
        return written;
    }));
    if (!written || std::fflush(out) != 0)
        throw Refused(Errc::invalid_input, "Cannot write: the disk is full or the pipe is closed.");
}

std::vector<std::string> baseline_row(const json& baseline) {
    const auto job = text_of(baseline, "job_id");
    return {text_of(baseline, "id"),
            text_of(baseline, "kind"),
            text_of(baseline, "comparison_key"),
            job.empty() ? "deleted, numbers kept" : job,
            text_of(baseline, "pinned_by"),
            text_of(baseline, "pinned_at")};
}

void pin(const CommandContext& context, std::string job_id) {
    auto api = need(client::signed_in(job_id));
    const auto pinned = need(api.put_json("/v1/jobs/" + job_id + "/baseline", nullptr));
    context.terminal.line(context.json ? pinned.dump(2)
                                       : "Baseline of " + text_of(pinned, "comparison_key") + ".");
}

struct LinkOptions {
    std::string job;
    std::string link;
    std::string note;
    int days = 7;
};

std::vector<std::string> link_row(const json& link) {
    const auto kind = text_of(link, "job_kind");
    return {text_of(link, "id"),
            text_of(link, "job_id"),
            kind.empty() ? "deleted" : text_of(link, "job_name"),
            text_of(link.at("created_by"), "name"),
            text_of(link, "expires_at"),
            format_count(link.value("opens", std::int64_t{0})),
            text_of(link, "note")};
}

void create_link(const CommandContext& context, LinkOptions options) {
    auto api = need(client::signed_in(options.job));
    const auto end = SystemClock().now() + std::chrono::days(options.days);
    json body = {{"expires_at", to_rfc3339(end)}};
    if (!options.note.empty()) body["note"] = options.note;
    const auto made = need(api.post_json("/v1/jobs/" + options.job + "/report-links", body));
    if (context.json) return context.terminal.line(made.dump(2));
    context.terminal.line(api.server() + text_of(made, "path"));
    context.terminal.note(
        "Anyone with this link can read the report until " +
        text_of(made.at("report_link"), "expires_at") +
        ". Store it now; it will not be shown again. To revoke it: plimsoll links "
        "revoke " +
        text_of(made.at("report_link"), "id"));
}

}  // namespace

void show_report(const CommandContext& context, const json& report) {
    context.terminal.line(context.json ? report.dump(2) : readable(context, report));
}

void add_report(CLI::App& app, CommandContext& context) {
    const auto job = std::make_shared<std::string>();
    auto* command = app.add_subcommand("report", "Show a job's report");
    command->add_option("job", *job, "ID of the job")->required();
    command->callback([&context, job] {
        auto api = need(client::signed_in(*job));
        show_report(context, need(api.get_json("/v1/jobs/" + *job + "/report")));
    });
}

void add_results(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<ResultsOptions>();
    auto* command = app.add_subcommand("results", "Download a job's results");
    command->add_option("job", options->job, "ID of the job")->required();
    command->add_option("--format", options->format, "Output format: json, jsonl or csv")
        ->check(CLI::IsMember({"json", "jsonl", "csv"}))
        ->capture_default_str();
    command->add_option("--output,-o", options->file,
                        "Write to this file instead of standard output");
    command->add_option("--contains", options->contains,
                        "Only rows whose text, ID or symbol contains this text");
    command
        ->add_option("--label", options->label,
                     "Only rows with this label: positive, neutral, negative or failed")
        ->check(CLI::IsMember({"positive", "neutral", "negative", "failed"}));
    command->callback([&context, options] {
        if (context.json) options->format = "json";
        download(*options);
    });
}

void add_baselines(CLI::App& app, CommandContext& context) {
    const auto id = std::make_shared<std::string>();
    auto* group = add_resource(app, "baselines", "List, pin and remove the team's baselines");
    add_list(group, context,
             {"List the team's baselines",
              "/v1/baselines",
              {"BASELINE", "KIND", "COMPARED WITH", "JOB", "PINNED BY", "AT"},
              baseline_row,
              "No baselines: plimsoll baselines pin JOB …"});
    auto* pin_command =
        group->add_subcommand("pin", "Pin a job's report as the baseline for comparable reports");
    pin_command->add_option("job", *id, "ID of the job")->required();
    pin_command->callback([&context, id] { pin(context, *id); });
    auto* remove_command = group->add_subcommand("remove", "Unpin a baseline");
    remove_command->add_option("baseline", *id, "ID of the baseline")->required();
    remove_command->callback([&context, id] { remove_item(context, "/v1/baselines", *id); });
}

void add_links(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<LinkOptions>();
    auto* group = add_resource(app, "links", "Share reports through links that expire");
    add_list(group, context,
             {"List the team's valid report links",
              "/v1/report-links",
              {"LINK", "JOB", "NAME", "BY", "EXPIRES", "OPENED", "NOTE"},
              link_row,
              "No report is shared: plimsoll links add JOB …"});
    auto* create = group->add_subcommand("add", "Share a job's report and print the link once");
    create->add_option("job", options->job, "ID of the job")->required();
    create->add_option("--days", options->days, "Days until the link expires")
        ->check(CLI::Range(1, 365))
        ->capture_default_str();
    create->add_option("--note", options->note, "What the link is for; shown to its readers");
    create->callback([&context, options] { create_link(context, *options); });
    auto* revoke = group->add_subcommand("revoke", "Revoke a link");
    revoke->add_option("link", options->link, "ID of the link")->required();
    revoke->callback(
        [&context, options] { remove_item(context, "/v1/report-links", options->link); });
}

}  // namespace plimsoll::cli
