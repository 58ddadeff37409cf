#include "server/jobs/waves/command/waves_cli.hpp"

#include "server/jobs/waves/command/waves.hpp"

#include <memory>

namespace plimsoll::app {

void add_waves_command(CLI::App& app, const client::Session& session, int& code) {
    auto options = std::make_shared<WavesOptions>();
    auto* command =
        app.add_subcommand("waves", "Count Elliott waves in files of prices, without a server");
    command->add_option("files", options->files, "Prices as .csv or .jsonl")
        ->check(CLI::ExistingFile);
    command->add_option("--preset", options->preset, "whole, default, high-perf or speed");
    command->add_option("--config", options->config, "Settings as YAML or JSON")
        ->check(CLI::ExistingFile);
    command->add_option("--set", options->assignments, "A setting as key=value, repeatable");
    command->add_flag("--keys", options->list_keys, "List all settings and leave");
    command->add_option("--symbols", options->symbols, "Only these, separated by commas")
        ->delimiter(',');
    command->add_option("--format", options->format, "text, json, jsonl or csv")
        ->check(CLI::IsMember({"text", "json", "jsonl", "csv"}));
    command->add_option("--output,-o", options->output,
                        "File to write instead of the standard output");
    command->add_option("--images", options->images, "What save_images writes: svg, png or both")
        ->check(CLI::IsMember({"svg", "png", "both"}));
    command->add_option(
        "--check", options->check,
        "Judge a count of your own: \"impulse up 38,45,48,57,76,84\" (bars or dates)");
    command
        ->add_option("--replay", options->replay, "Tell what each of the last so many bars changed")
        ->check(CLI::Range(0, 100'000));
    command->add_flag("--follow", options->follow,
                      "Wait for bars that are appended to the files, and tell what each changes");
    command->add_option(
        "--time-zone", options->time_zone,
        "Of times that name none, and of those in the report: "
        "Europe/Berlin, +02:00, … (default: the zone that the file names, else UTC)");
    command->callback([options, &session, &code] {
        if (session.json) options->format = "json";
        code = run_waves(session, *options);
    });
}

}  // namespace plimsoll::app
