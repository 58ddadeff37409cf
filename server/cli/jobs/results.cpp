#include "server/cli/commands.hpp"
#include "server/client/job_id.hpp"
#include "server/client/query.hpp"
#include "server/terminal/command_context.hpp"

#include <cstdio>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {
namespace {

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
    if (!written || std::fflush(out) != 0) {
        throw Refused(Errc::invalid_input, "Cannot write: the disk is full or the pipe is closed.");
    }
}

}  // namespace

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

}  // namespace plimsoll::cli
