#include "server/kinds/training_config/command/configs/apply.hpp"

#include "engine/base/json.hpp"
#include "server/kinds/training_config/command/configs/backups.hpp"
#include "server/kinds/training_config/contract/configs/config_node.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::training_config {
namespace {

struct FileEdit {
    std::string file;
    std::string before;  // the whole text
    ConfigPlan plan;
    ConfigEdit edit;
    std::string backup;  // once it is written
};

Result<Recommended> recommended_for(const std::string& file, const json& report,
                                    const ApplyRequest& request) {
    if (!request.stage.empty()) return recommended_by(report, request.gpu, request.stage);
    TRY(const auto stage, stage_for(report, request.gpu, file));
    return recommended_by(report, request.gpu, stage);
}

Result<FileEdit> edit_of(const std::string& file, const json& report, const ApplyRequest& request) {
    TRY(auto text, read_config_file(file));
    const auto recommended = recommended_for(file, report, request);
    if (!recommended)
        return fail(recommended.error().code, recommended.error().message, request.report);
    auto plan = plan_settings(text, *recommended, request.choice);
    if (!plan) return fail(plan.error().code, plan.error().message, file);
    auto edit = edit_config(text, plan->settings);
    if (!edit) return fail(edit.error().code, edit.error().message, file);
    if (!edit->changes.empty()) {
        TRY_DO(check_writable(file));
    }
    return FileEdit{file, std::move(text), std::move(*plan), std::move(*edit), {}};
}

std::string line_of(const std::string& file, int line) {
    return file + (line > 0 ? ":" + std::to_string(line) : "") + ": ";
}

bool is_new(const Proposal& proposal) { return proposal.before != proposal.after; }

// The probable places, and how to have them written.
std::string proposal_text(const FileEdit& one) {
    std::string text = one.file + ": its structure is not recognized, so nothing was changed. ";
    if (one.plan.proposals.empty())
        return text + "Name places with --map, for example --map batch=train.bs\n";
    text += "It seems to contain these settings:\n";
    std::string flags;
    for (const auto& proposal : one.plan.proposals) {
        text += "  " + place_of(proposal.path) + ": " + proposal.before +
                (is_new(proposal) ? " -> " + proposal.after : ", as estimated") + "\n";
        if (is_new(proposal)) flags += " --map " + proposal.name + "=" + place_of(proposal.path);
    }
    return flags.empty() ? text : text + "To apply these too, add" + flags + "\n";
}

// For a configuration composed of several files: the settings that none of them has a place for.
void tell_unplaced(const std::vector<FileEdit>& edits, const Choice& choice, Answer& told) {
    if (std::ranges::none_of(edits, [](const FileEdit& one) { return one.plan.is_part; })) return;
    for (const char* name : {"batch", "accumulation"}) {
        const bool placed = std::ranges::any_of(
            edits, [&](const FileEdit& one) { return one.plan.placed.contains(name); });
        const bool wanted = (choice.only.empty() || choice.only.contains(name)) &&
                            !choice.keep.contains(name) && !choice.places.contains(name);
        if (placed || !wanted) continue;
        told.text += std::string("none of these files has a place for ") + name +
                     ": also name the file that has one\n";
        told.status = terminal::ExitStatus::partly;
    }
}

// `with_trainer`: arguments that "auto" follows are applied together with this file.
void tell(const FileEdit& one, bool dry_run, bool with_trainer, Answer& told) {
    const bool known = !one.plan.structure.empty() || !one.plan.settings.empty();
    auto left = one.edit.left;
    if (with_trainer) std::erase_if(left, [](const ConfigLeft& it) { return it.follows; });
    if (!known || !left.empty() || !one.plan.differs.empty())
        told.status = terminal::ExitStatus::partly;
    std::string& text = told.text;
    if (!known) text += proposal_text(one);
    if (dry_run) text += unified_diff(one.file, one.before, one.edit.lines);
    for (const auto& change : one.edit.changes) {
        if (!dry_run) {
            text += line_of(one.file, change.line) + change.place + ": " +
                    (change.before.empty() ? "added, " : change.before + " -> ") + change.after +
                    "\n";
        }
        for (const auto line : change.followers) {
            text +=
                line_of(one.file, line) + "changes too: an alias repeats " + change.place + "\n";
        }
    }
    for (const auto& setting : left) {
        text += line_of(one.file, setting.line) + setting.place + " should be " + setting.value +
                "; not changed: " + setting.why + "\n";
    }
    for (const auto& differs : one.plan.differs) text += one.file + ": " + differs + "\n";
    for (const auto& note : one.plan.notes) text += one.file + ": " + note + "\n";
    if (!one.backup.empty())
        text += one.file + ": the previous version is kept in " + one.backup + "\n";
    if (known && one.edit.changes.empty() && one.edit.left.empty() && one.plan.differs.empty())
        text += one.file + ": nothing to change\n";
    auto file = edit_json(one.plan, one.edit);
    file.update({{"file", one.file}, {"backup", text_or_null(one.backup)}, {"left", left}});
    told.value["files"].push_back(std::move(file));
}

// What was done before a failure, for its message.
tl::unexpected<Error> after(const std::string& told, const Error& error) {
    const auto before = told.empty() ? "" : " Before this error:\n" + told;
    return fail(error.code, error.message + before, error.where);
}

Result<Answer> restore(const ApplyRequest& request) {
    Answer told{{{"files", json::array()}}, {}};
    for (const auto& file : request.files) {
        const auto done = restore_file(file);
        if (!done) return after(told.text, done.error());
        told.text += file + ": " + *done + "\n";
        told.value["files"].push_back({{"file", file}, {"restored", *done}});
    }
    return told;
}

// A folder may hold other files than configurations of the run.
Result<std::vector<FileEdit>> edits_of(const json& report, const ApplyRequest& request) {
    std::vector<FileEdit> edits;
    for (const auto& path : request.files) {
        const bool is_folder = std::filesystem::is_directory(path);
        auto why = Result<FileEdit>(
            fail(Errc::invalid_input, "None of its files has a known structure.", path));
        const auto before = edits.size();
        for (const auto& file : config_files(path)) {
            auto edit = edit_of(file, report, request);
            if (!edit && !is_folder) return fail(std::move(edit.error()));
            if (!edit)
                why = std::move(edit);
            else if (!is_folder || !edit->plan.structure.empty() || !edit->plan.settings.empty())
                edits.push_back(std::move(*edit));
        }
        if (edits.size() == before) return fail(std::move(why.error()));
    }
    return edits;
}

}  // namespace

Result<Answer> apply_report(const ApplyRequest& request) {
    if (request.restore) return restore(request);
    TRY(const auto text, read_config_file(request.report));
    const auto report = json::parse(text, nullptr, false);
    if (!report.is_object()) {
        return fail(
            Errc::invalid_input,
            "This is not a report in JSON, as `plimsoll report JOB --json` and `plimsoll estimate "
            "--json` print it.",
            request.report);
    }
    TRY(auto edits, edits_of(report, request));
    Answer told{{{"files", json::array()}}, {}};
    const bool with_trainer =
        std::ranges::any_of(edits, [](const FileEdit& one) { return one.plan.is_trainer; });
    for (auto& edit : edits) {
        if (!request.dry_run && !edit.edit.changes.empty()) {
            auto backup = change_file(edit.file, edit.edit.text);
            if (!backup) return after(told.text, backup.error());
            edit.backup = std::move(*backup);
        }
        tell(edit, request.dry_run, with_trainer, told);
    }
    tell_unplaced(edits, request.choice, told);
    return told;
}

namespace {

const std::vector<std::string>& names() {
    static const std::vector<std::string> all(std::begin(kSettingNames), std::end(kSettingNames));
    return all;
}

constexpr int kMaxFiles = 1000;  // of one --restore

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

Result<Answer> run(const ApplyRequest& request) {
    TRY_DO(check_choice(request.choice));
    return apply_report(request);
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
        "YAML or JSON configurations of Transformers, axolotl, torchtune, Accelerate, DeepSpeed, "
        "Lightning or Hydra, or folders "
        "with them");
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
                            for (const auto& one : all)
                                if (auto wrong = read_map(one, choice); !wrong.empty())
                                    throw CLI::ValidationError("--map", wrong);
                        },
                        "Map a setting to its key in the files: batch=train.bs; repeatable")
                    ->type_name("NAME=PLACE");
    auto* restore =
        command->add_option("--restore", request->files, "Undo the last change to these files")
            ->excludes(report);
    restore->expected(1, kMaxFiles);
    for (auto* flag : {gpu, stage, dry_run, rates, only, keep, map}) restore->excludes(flag);
    restore->each([request](const std::string&) { request->restore = true; });
    command->callback([request, &context] {
        if (request->files.empty()) throw CLI::RequiredError("a report and files, or --restore");
        answer(context, run(*request));
    });
}

}  // namespace plimsoll::jobs::training_config
