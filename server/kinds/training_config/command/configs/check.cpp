#include "engine/base/json.hpp"
#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/configs/show_config.hpp"
#include "server/kinds/training_config/contract/bytes.hpp"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

// "train.yaml: does not fit: bert-base with a batch of 6400 takes 316.81 GiB of NVIDIA T4 …"
std::string line_of(const std::string& path, const json& run) {
    const std::string fits = run.at("fits");
    const char* verdict = fits == "no" ? "does not fit" : fits == "tight" ? "fits tightly" : "fits";
    auto line =
        fmt::format("{}: {}: {} with a batch of {} takes {}, {:.0f} % of {}", path, verdict,
                    run.at("model").get<std::string>(), run.at("batch").get<std::int64_t>(),
                    gib_text(run.at("device_used_bytes")),
                    run.at("utilization_percent").get<double>(), run.at("gpu").get<std::string>());
    if (fits != "yes") line += "; " + run.at("advice").get<std::string>();
    return line;
}

// Done: every run fits; failed: one does not; usage: one cannot be judged.
Answer check(const ShowRunRequest& request) {
    using terminal::ExitStatus;
    Answer told{{{"runs", json::array()}}, {}};
    for (const auto& path : request.paths) {
        auto one = request;
        one.paths = {path};
        auto shown = show_run(one);
        json run{{"path", path}};
        if (!shown) {
            told.status = ExitStatus::usage;
            told.text += path + ": cannot be judged: " + shown.error().message + "\n";
            run["error"] = shown.error().message;
        } else {
            if (shown->value.at("fits") == "no" && told.status == ExitStatus::done)
                told.status = ExitStatus::failed;
            told.text += line_of(path, shown->value) + "\n";
            run.update(shown->value);
        }
        told.value["runs"].push_back(std::move(run));
    }
    return told;
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
    add_run_options(*command, *request);
    command->callback([request, &context] { answer(context, check(*request)); });
}

}  // namespace plimsoll::jobs::training_config
