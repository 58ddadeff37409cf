#include "engine/training/advice/text.hpp"
#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/configs/shown_run.hpp"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

// "train.yaml: does not fit: bert-base with a batch of 6400 takes 316.81 GiB of NVIDIA T4 …"
std::string line_of(const std::string& path, const json& run) {
    const std::string fits = run.at("fits");
    const char* verdict = fits == "no" ? "does not fit" : fits == "tight" ? "fits tightly" : "fits";
    auto line =
        fmt::format("{}: {}: {} with a batch of {} takes {}, {:.0f} % of {}", path, verdict,
                    run.at("model").get<std::string>(), run.at("batch").get<std::int64_t>(),
                    ::plimsoll::training::text::gigabytes(run.at("device_used_bytes")),
                    run.at("utilization_percent").get<double>(), run.at("gpu").get<std::string>());
    if (fits != "yes") line += "; " + run.at("advice").get<std::string>();
    return line;
}

// 0: every run fits; 1: one does not; 2: one cannot be judged.
int check(const CommandContext& context, const ShowRunRequest& request) {
    json runs = json::array();
    int status = 0;
    for (const auto& path : request.paths) {
        auto one = request;
        one.paths = {path};
        const auto shown = show_run(one);
        if (!shown) {
            status = static_cast<int>(terminal::ExitStatus::usage);
            if (!context.json)
                context.terminal.line(path + ": cannot be judged: " + shown.error().message);
            runs.push_back({{"path", path}, {"error", shown.error().message}});
            continue;
        }
        if (shown->value.at("fits") == "no" && status == 0)
            status = static_cast<int>(terminal::ExitStatus::failed);
        if (!context.json) context.terminal.line(line_of(path, shown->value));
        runs.push_back(shown->value);
        runs.back()["path"] = path;
    }
    if (context.json) print_json(context, {{"runs", runs}});
    return status;
}

}  // namespace

void add_check(CLI::App& app, CommandContext& context) {
    const auto request = std::make_shared<ShowRunRequest>();
    auto* command =
        app.add_subcommand("check", "Fail if a training configuration does not fit its GPU");
    command
        ->add_option("paths", request->paths,
                     "Configurations as of show-config, a run each; a folder is one run")
        ->required();
    request->given.add_flags(*command);
    command->callback([request, &context] { context.exit_code = check(context, *request); });
}

}  // namespace plimsoll::jobs::training_config
