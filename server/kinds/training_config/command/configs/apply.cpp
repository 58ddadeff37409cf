#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/configs/apply_report.hpp"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::training_config {
namespace {

const std::vector<std::string>& names() {
    static const std::vector<std::string> all(std::begin(kSettingNames), std::end(kSettingNames));
    return all;
}

// "batch=train.bs"; returns the error, or nothing if it is valid.
std::string read_map(const std::string& text, Choice& choice) {
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == text.size() ||
        std::ranges::find(names(), name) == names().end()) {
        return "must be NAME=PLACE, where NAME is one that --only accepts";
    }
    choice.places[name] = text.substr(equals + 1);
    return {};
}

// Choices that have no effect because of others.
Result<void> check_choice(const Choice& choice) {
    for (const char* rate : {"learning_rate", "warmup_steps"}) {
        if (choice.keep.contains(rate) && !choice.rates) {
            return fail(
                Errc::invalid_input,
                std::string("--keep ") + rate + " has no effect without --rates, which writes it.");
        }
    }
    for (const auto& [name, place] : choice.places) {
        if (!choice.keep.contains(name)) continue;
        return fail(Errc::invalid_input, "--keep " + name + " contradicts --map " + name + "=" +
                                             place + ": omit one of the two.");
    }
    if (choice.rates && choice.places.contains("learning_rate") &&
        choice.places.contains("warmup_steps")) {
        return fail(Errc::invalid_input,
                    "--rates has no effect: --map names the places of the learning rate and the "
                    "warm-up.");
    }
    return {};
}

int run(const CommandContext& context, const ApplyRequest& request) {
    if (const auto ok = check_choice(request.choice); !ok) return refuse_input(context, ok.error());
    const auto told = apply_report(request);
    if (!told) return refuse_input(context, told.error());
    if (context.json) {
        context.terminal.line(told->value.dump(2));
    } else {
        print(told->text);
    }
    return static_cast<int>(told->complete ? terminal::ExitStatus::done
                                           : terminal::ExitStatus::partly);
}

}  // namespace

void add_apply(CLI::App& app, CommandContext& context) {
    const auto request = std::make_shared<ApplyRequest>();
    auto& choice = request->choice;
    auto* command =
        app.add_subcommand("apply", "Apply a report's settings to training configurations");
    auto* report = command->add_option("report", request->report,
                                       "A report as JSON, from `report JOB --json` or `estimate "
                                       "--json`");
    command->add_option(
        "files", request->files,
        "YAML or JSON configurations of Transformers, Accelerate, DeepSpeed, Lightning or Hydra");
    auto* gpu = command->add_option("--gpu", request->gpu,
                                    "GPU whose settings to apply (default: the report's first)");
    auto* stage = command->add_option("--stage", request->stage,
                                      "Stage for all files (default: by file name)");
    auto* dry_run =
        command->add_flag("--dry-run", request->dry_run, "Dry run: show the changes as a diff");
    auto* rates =
        command->add_flag("--rates", choice.rates, "Also write the learning rate and the warm-up");
    auto* only =
        command->add_option("--only", choice.only, "Write only these settings, separated by commas")
            ->delimiter(',')
            ->check(CLI::IsMember(names()))
            ->excludes(rates);
    auto* keep =
        command
            ->add_option("--keep", choice.keep, "Do not write these settings, separated by commas")
            ->delimiter(',')
            ->check(CLI::IsMember(names()))
            ->excludes(only);
    auto* map = command
                    ->add_option_function<std::vector<std::string>>(
                        "--map",
                        [&choice](const std::vector<std::string>& all) {
                            for (const auto& one : all) {
                                if (auto wrong = read_map(one, choice); !wrong.empty()) {
                                    throw CLI::ValidationError("--map", wrong);
                                }
                            }
                        },
                        "Map a setting to its key in the files: batch=train.bs; repeatable")
                    ->type_name("NAME=PLACE");
    auto* restore =
        command->add_option("--restore", request->files, "Undo the last change to these files")
            ->excludes(report);
    for (auto* flag : {gpu, stage, dry_run, rates, only, keep, map}) restore->excludes(flag);
    restore->each([request](const std::string&) { request->restore = true; });
    command->callback([request, &context] {
        if (request->files.empty()) throw CLI::RequiredError("a report and files, or --restore");
        context.exit_code = run(context, *request);
    });
}

}  // namespace plimsoll::jobs::training_config
