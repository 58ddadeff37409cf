#include "server/kinds/training_config/command/configs/apply_report.hpp"

#include "server/kinds/training_config/command/configs/backups.hpp"
#include "server/kinds/training_config/command/configs/config_node.hpp"

#include <algorithm>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

struct FileEdit {
    std::string file;
    std::string before;  // the whole text
    Plan plan;
    ConfigEdit edit;
    std::string backup;  // once it is written
};

Result<Recommended> recommended_for(const std::string& file, const json& report,
                                    const ApplyRequest& request) {
    if (!request.stage.empty()) return recommended_by(report, request.gpu, request.stage);
    const auto stage = stage_for(report, request.gpu, file);
    if (!stage) return fail(stage.error());
    return recommended_by(report, request.gpu, *stage);
}

Result<FileEdit> edit_of(const std::string& file, const json& report, const ApplyRequest& request) {
    auto text = read_config_file(file);
    if (!text) return fail(text.error());
    const auto recommended = recommended_for(file, report, request);
    if (!recommended) {
        return fail(recommended.error().code, recommended.error().message, request.report);
    }
    auto plan = plan_settings(*text, *recommended, request.choice);
    if (!plan) return fail(plan.error().code, plan.error().message, file);
    auto edit = edit_config(*text, plan->settings);
    if (!edit) return fail(edit.error().code, edit.error().message, file);
    if (!edit->changes.empty()) {
        if (auto may = check_writable(file); !may) return fail(may.error());
    }
    return FileEdit{file, std::move(*text), std::move(*plan), std::move(*edit), {}};
}

std::string line_of(const std::string& file, int line) {
    return file + (line > 0 ? ":" + std::to_string(line) : "") + ": ";
}

bool is_new(const Proposal& proposal) {
    return proposal.before != proposal.after;
}

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

json proposals_json(const Plan& plan) {
    json all = json::array();
    for (const auto& proposal : plan.proposals) {
        all.push_back({{"name", proposal.name},
                       {"place", place_of(proposal.path)},
                       {"before", proposal.before},
                       {"after", proposal.after}});
    }
    return all;
}

// For a configuration composed of several files: the settings that none of them has a place for.
void tell_unplaced(const std::vector<FileEdit>& edits, const Choice& choice, Applied& told) {
    if (std::ranges::none_of(edits, [](const FileEdit& one) { return one.plan.is_part; })) return;
    for (const char* name : {"batch", "accumulation"}) {
        const bool placed = std::ranges::any_of(
            edits, [&](const FileEdit& one) { return one.plan.placed.contains(name); });
        const bool wanted = (choice.only.empty() || choice.only.contains(name)) &&
                            !choice.keep.contains(name) && !choice.places.contains(name);
        if (placed || !wanted) continue;
        told.text += std::string("none of these files has a place for ") + name +
                     ": also name the file that has one\n";
        told.complete = false;
    }
}

// `with_trainer`: arguments that "auto" follows are applied together with this file.
void tell(const FileEdit& one, bool dry_run, bool with_trainer, Applied& told) {
    json changes = json::array(), left = json::array();
    std::string& text = told.text;
    if (one.plan.structure.empty() && one.plan.settings.empty()) {
        told.complete = false;
        text += proposal_text(one);
    }
    if (dry_run) text += unified_diff(one.file, one.before, one.edit.lines);
    for (const auto& change : one.edit.changes) {
        changes.push_back({{"line", change.line},
                           {"place", change.place},
                           {"before", change.before.empty() ? json(nullptr) : json(change.before)},
                           {"after", change.after},
                           {"followed_on_lines", change.followers}});
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
    for (const auto& setting : one.edit.left) {
        if (setting.follows && with_trainer) continue;
        left.push_back({{"line", setting.line},
                        {"place", setting.place},
                        {"wanted", setting.value},
                        {"why", setting.why}});
        text += line_of(one.file, setting.line) + setting.place + " should be " + setting.value +
                "; not changed: " + setting.why + "\n";
        told.complete = false;
    }
    for (const auto& differs : one.plan.differs) {
        text += one.file + ": " + differs + "\n";
        told.complete = false;
    }
    if (!one.backup.empty())
        text += one.file + ": the previous version is kept in " + one.backup + "\n";
    const bool known = !one.plan.structure.empty() || !one.plan.settings.empty();
    if (known && one.edit.changes.empty() && one.edit.left.empty() && one.plan.differs.empty()) {
        text += one.file + ": nothing to change\n";
    }
    told.value["files"].push_back(
        {{"file", one.file},
         {"structure", one.plan.structure.empty() ? json(nullptr) : json(one.plan.structure)},
         {"backup", one.backup.empty() ? json(nullptr) : json(one.backup)},
         {"changes", std::move(changes)},
         {"left", std::move(left)},
         {"differs", one.plan.differs},
         {"proposals", proposals_json(one.plan)}});
}

// What was done before a failure, for its message.
tl::unexpected<Error> after(const std::string& told, const Error& error) {
    const auto before = told.empty() ? "" : " Before this error:\n" + told;
    return fail(error.code, error.message + before, error.where);
}

Result<Applied> restore(const ApplyRequest& request) {
    Applied told{{{"files", json::array()}}, {}, true};
    for (const auto& file : request.files) {
        const auto done = restore_file(file);
        if (!done) return after(told.text, done.error());
        told.text += file + ": " + *done + "\n";
        told.value["files"].push_back({{"file", file}, {"restored", *done}});
    }
    return told;
}

}  // namespace

Result<Applied> apply_report(const ApplyRequest& request) {
    if (request.restore) return restore(request);
    const auto text = read_config_file(request.report);
    if (!text) return fail(text.error());
    const auto report = json::parse(*text, nullptr, false);
    if (!report.is_object()) {
        return fail(
            Errc::invalid_input,
            "This is not a report in JSON, as `plimsoll report JOB --json` and `plimsoll estimate "
            "--json` print it.",
            request.report);
    }
    std::vector<FileEdit> edits;
    for (const auto& file : request.files) {
        auto edit = edit_of(file, report, request);
        if (!edit) return fail(edit.error());
        edits.push_back(std::move(*edit));
    }
    Applied told{{{"files", json::array()}}, {}, true};
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

}  // namespace plimsoll::jobs::training_config
