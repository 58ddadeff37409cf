#include "server/client/session.hpp"
#include "server/jobs/command.hpp"
#include "server/kinds/profile/command/changes.hpp"
#include "server/kinds/profile/command/examine.hpp"
#include "server/kinds/profile/command/report_file.hpp"
#include "server/kinds/profile/contract/summary_text.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/field_flags.hpp"
#include "server/terminal/files/arguments_file.hpp"
#include "server/terminal/follow_job.hpp"
#include "server/terminal/members.hpp"
#include "server/terminal/table_width.hpp"

#include <ctime>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {
namespace {

using nlohmann::json;
using terminal::CommandContext;
using terminal::text_of;

struct Options {
    std::string mode = "full";
    std::string sentiment_model;  // empty: the server chooses
    std::string form;
    std::vector<int> batch_sizes;
    std::string llm_endpoint;  // empty, as the model: the server's first
    std::string llm_model;
    std::string output_folder = "out/profiling";
    std::string device_class;  // empty: the server chooses
    std::string device;        // "node/device"; empty: any
    std::optional<int> largest_batch;
    std::optional<double> latency_ms;
    std::optional<double> memory_mb;
    std::string baseline;  // file of an earlier report; empty: the team's, if it pinned one
    bool pin = false;      // makes the report the team's baseline
};

constexpr terminal::FieldFlag kFieldFlags[] = {
    {"/args/mode", "--mode"},
    {"/args/sentiment_model", "--sentiment-model"},
    {"/args/form", "--form"},
    {"/args/batch_sizes", "--batch-sizes"},
    {"/args/llm_endpoint", "--llm-endpoint"},
    {"/args/llm_model", "--llm-model"},
    {"/args/device_class", "--class"},
    {"/args/device", "--device"},
    {"/args/limits/max_batch", "--largest-batch"},
    {"/args/limits/latency_ms", "--latency-ms"},
    {"/args/limits/memory_mb", "--memory-mb"},
    {"/args/limits", "--largest-batch, --latency-ms or --memory-mb"},
};

json request_of(const Options& options) {
    json limits = json::object();
    if (options.largest_batch) limits["max_batch"] = *options.largest_batch;
    if (options.latency_ms) limits["latency_ms"] = *options.latency_ms;
    if (options.memory_mb) limits["memory_mb"] = *options.memory_mb;
    json args{{"mode", options.mode}, {"limits", std::move(limits)}};
    if (!options.llm_endpoint.empty()) args["llm_endpoint"] = options.llm_endpoint;
    if (!options.llm_model.empty()) args["llm_model"] = options.llm_model;
    if (!options.sentiment_model.empty()) args["sentiment_model"] = options.sentiment_model;
    if (!options.form.empty()) args["form"] = options.form;
    if (!options.batch_sizes.empty()) args["batch_sizes"] = options.batch_sizes;
    if (!options.device_class.empty()) args["device_class"] = options.device_class;
    if (!options.device.empty()) args["device"] = options.device;
    return {{"kind", "profile"}, {"args", std::move(args)}};
}

Result<json> read(const std::string& file) {
    std::ifstream in(file);
    auto report = json::parse(in, nullptr, false);
    if (!report.is_object() || !report.contains("results")) {
        return fail(Errc::invalid_input, "The file is not a profile report.", file);
    }
    return report;
}

// The changes since the report that the team pinned for comparable ones; empty if there is none or
// it is this report.
Result<std::string> changes_since_pinned(const CommandContext& context, client::ApiClient& api,
                                         const std::string& id, const json& summary) {
    const auto found = api.get_json("/v1/jobs/" + id + "/baseline");
    if (!found) return fail(found.error());
    const json& baseline = found->at("baseline");
    if (baseline.is_null() || text_of(baseline, "job_id") == id) return "";
    auto job = text_of(baseline, "job_id");
    if (job.empty()) job = "a job that has been deleted";
    return changes_text(context.terminal, found->at("summary"), summary) +
           "\nThe baseline is the report of " + job + ", pinned at " +
           text_of(baseline, "pinned_at") + ".";
}

// Runs a job of this kind, writes its summary to a file and shows it with the changes since the
// baseline.
int measure(const CommandContext& context, const Options& options) {
    json baseline;
    if (!options.baseline.empty() && context.json) {
        return refuse(context, {Errc::invalid_input,
                                "--baseline has no effect with --json, which prints the report: "
                                "omit one of them.",
                                {}});
    }
    if (!options.baseline.empty()) {
        auto found = read(options.baseline);
        if (!found) return refuse(context, found.error());
        baseline = std::move(*found);
    }
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    if (auto may = check_folder(options.output_folder); !may) return refuse(context, may.error());
    const auto job = api->post_json("/v1/jobs", request_of(options));
    if (!job) return refuse(context, terminal::in_flags(job.error(), kFieldFlags));
    const auto id = job->value("id", "");
    context.terminal.note("Submitted " + id);
    if (const int code = follow_job(context, id, terminal::Ending::note); code != 0) return code;
    const auto report = api->get_json("/v1/jobs/" + id + "/report");
    if (!report) return refuse(context, report.error());
    const json& summary = report->at("summary");
    const auto file = write_report(options.output_folder, summary, std::time(nullptr));
    if (!file) return refuse(context, file.error());
    if (!context.json) {
        context.terminal.line(summary_text(summary, table_width(context.terminal)));
        const Result<std::string> changes = baseline.is_null()
                                                ? changes_since_pinned(context, *api, id, summary)
                                                : changes_text(context.terminal, baseline, summary);
        if (!changes) return refuse(context, changes.error());
        if (!changes->empty()) context.terminal.line("\n" + *changes);
    }
    context.terminal.line(context.json ? summary.dump(2) : file->string());
    if (options.pin) {
        const auto pinned = api->put_json("/v1/jobs/" + id + "/baseline", nullptr);
        if (!pinned) return refuse(context, pinned.error());
        context.terminal.note("Baseline of " + text_of(*pinned, "comparison_key") + ".");
    }
    return summary.at("errors").empty() ? 0 : 1;
}

void add(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<Options>();
    auto* command =
        app.add_subcommand("profile", "Measure a device and a model, and write a report file");
    command->add_option("--mode", options->mode, "What to measure: engine, sentiment, llm or full")
        ->check(CLI::IsMember({"engine", "sentiment", "llm", "full"}))
        ->capture_default_str();
    command->add_option(
        "--sentiment-model", options->sentiment_model,
        "Sentiment model to measure: vader, finbert… (default: finbert if a worker has it, else "
        "vader)");
    command
        ->add_option("--form", options->form,
                     "Numeric form of the model: fp32, bf16 or int8 (default: fp32)")
        ->check(CLI::IsMember({"fp32", "bf16", "int8"}));
    command
        ->add_option("--batch-sizes", options->batch_sizes,
                     "Batch sizes to measure: 1,5,10,20 (default: those needed to find the "
                     "recommended one)")
        ->delimiter(',')
        ->check(CLI::Range(1, 1024));
    command->add_option("--llm-endpoint", options->llm_endpoint,
                        "One of the URLs that the operator configured (default: the first)");
    command->add_option("--llm-model", options->llm_model, "Language model to measure");
    command
        ->add_option("--output-dir", options->output_folder,
                     "Folder for the report, gpu_profile_YYYYmmdd_HHMMSS.json; a second report in "
                     "the same second gets the suffix _2")
        ->capture_default_str();
    command
        ->add_option("--class", options->device_class,
                     "Device class: gpu, cpu or host (default: gpu if one is connected, else cpu; "
                     "host for vader and language models)")
        ->check(CLI::IsMember({"gpu", "cpu", "host"}));
    command->add_option("--device", options->device,
                        "Measure this device only: NODE/DEVICE as `plimsoll devices` lists it");
    command
        ->add_option("--largest-batch", options->largest_batch,
                     "Largest batch size to try (default: 4096)")
        ->check(CLI::Range(1, 65536));
    command->add_option("--latency-ms", options->latency_ms, "Longest acceptable time per batch")
        ->check(CLI::PositiveNumber);
    command->add_option("--memory-mb", options->memory_mb, "Highest acceptable memory per batch")
        ->check(CLI::PositiveNumber);
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
