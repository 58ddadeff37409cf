#include "server/jobs/profile/command/profile_cli.hpp"

#include "server/cli/baselines.hpp"
#include "server/jobs/profile/command/profile.hpp"

#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::app {

void add_profile_command(CLI::App& app, client::Session& session, int& code) {
    const auto options = std::make_shared<client::ProfileOptions>();
    auto* command = app.add_subcommand(
        "profile", "Measure a device and a model, and write the report to a file");
    command->add_option("--mode", options->mode, "engine, sentiment, llm or full")
        ->check(CLI::IsMember({"engine", "sentiment", "llm", "full"}))
        ->capture_default_str();
    command->add_option("--sentiment-model", options->sentiment_model, "The model to measure")
        ->capture_default_str();
    command->add_option("--llm-endpoint", options->llm_endpoint,
                        "A URL that an administrator named; their first when left out");
    command->add_option("--llm-model", options->llm_model, "The language model to ask");
    command->add_option("--output-dir", options->output_folder, "Folder of the report")
        ->capture_default_str();
    command->add_option("--class", options->device_class, "Where: gpu, cpu or host")
        ->check(CLI::IsMember({"gpu", "cpu", "host"}));
    command->add_option("--device", options->device,
                        "This device and no other: NODE/DEVICE as `plimsoll devices` lists them");
    command->add_option("--largest-batch", options->largest_batch, "Of those that are tried")
        ->check(CLI::Range(1, 65536));
    command->add_option("--latency-ms", options->latency_ms, "Longest time of a batch")
        ->check(CLI::PositiveNumber);
    command->add_option("--memory-mb", options->memory_mb, "Most memory of a batch")
        ->check(CLI::PositiveNumber);
    command
        ->add_option("--baseline", options->baseline,
                     "A report's file to compare with, instead of the team's baseline")
        ->check(CLI::ExistingFile);
    command->add_flag("--pin", options->pin, "Make the report the team's baseline");
    command->callback([&session, &code, options] { code = client::profile(session, *options); });
}

void add_baseline_commands(CLI::App& app, client::Session& session, int& code) {
    auto* command = app.add_subcommand(
        "baselines", "Reports that the team pinned, for later ones to be compared with");
    command->require_subcommand(0, 1);
    const auto id = std::make_shared<std::string>();
    auto* pin = command->add_subcommand("pin", "Make a job's report the baseline of those like it");
    pin->add_option("job", *id, "The job's id")->required();
    pin->callback([&session, &code, id] { code = client::pin_baseline(session, *id); });
    auto* remove = command->add_subcommand("remove", "Unpin a report");
    remove->add_option("baseline", *id, "The baseline's id")->required();
    remove->callback([&session, &code, id] { code = client::remove_baseline(session, *id); });
    command->callback([command, &session, &code] {
        if (command->get_subcommands().empty()) code = client::list_baselines(session);
    });
}

}  // namespace plimsoll::app
