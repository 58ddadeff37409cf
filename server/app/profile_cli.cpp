#include "server/app/profile_cli.hpp"

#include "server/client/profile.hpp"

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
    command->add_option("--baseline", options->baseline, "A report's file to compare with")
        ->check(CLI::ExistingFile);
    command->callback([&session, &code, options] { code = client::profile(session, *options); });
}

}  // namespace plimsoll::app
