#include "server/jobs/training_config/command/apply_report.hpp"

#include "engine/training/advice/snippets.hpp"
#include "server/jobs/training_config/command/line_diff.hpp"
#include "server/jobs/training_config/command/yaml_edit.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using Values = std::map<std::string, std::string, std::less<>>;

Result<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();  // which fails for an empty file, too
    if (!file.is_open() || file.bad() || fs::is_directory(path)) {
        return fail(Errc::not_found, "The file cannot be read.", path);
    }
    return text.str();
}

// Whole or not at all: written beside the file, with its rights, and then moved over it. A link
// stays one: its target is replaced.
Result<void> write_file(const std::string& named, const std::string& text) {
    std::error_code failed;
    const std::string path = fs::weakly_canonical(named, failed);
    const auto fresh = path + ".new";
    {
        std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
        file << text;
        file.flush();
        if (!file) return fail(Errc::unavailable, "The file cannot be written.", fresh);
    }
    fs::permissions(fresh, fs::status(path).permissions(), failed);
    fs::rename(fresh, path, failed);
    if (failed) return fail(Errc::unavailable, "The file cannot be replaced.", path);
    return {};
}

const json* named(const json& list, const char* member, const std::string& name) {
    const auto found = std::ranges::find_if(list, [&](const json& one) {
        return name.empty() || one.at(json::json_pointer(member)) == name;
    });
    return found == list.end() ? nullptr : &*found;
}

std::string backup_of(const std::string& file) {
    return file + ".backup";
}

Result<void> restore_file(const std::string& file) {
    const auto original = read_file(backup_of(file));
    if (!original) {
        return fail(Errc::not_found, "There is no backup to restore.", backup_of(file));
    }
    if (auto written = write_file(file, *original); !written) return written;
    std::error_code failed;
    fs::remove(backup_of(file), failed);
    if (failed) return fail(Errc::unavailable, "The backup cannot be removed.", backup_of(file));
    return {};
}

struct FileEdit : YamlEdit {
    std::string before;  // the whole text
};

Result<FileEdit> edit_of(const std::string& file, const Values& values) {
    const auto text = read_file(file);
    if (!text) return fail(text.error());
    auto edit = edit_yaml(*text, values);
    if (!edit) return fail(edit.error().code, edit.error().message, file);
    const auto rights = fs::status(file).permissions();
    if (!edit->changes.empty() && (rights & fs::perms::owner_write) == fs::perms::none) {
        return fail(Errc::unavailable, "The file is read-only.", file);
    }
    return FileEdit{std::move(*edit), *text};
}

std::string told_of(const std::string& file, const FileEdit& edit, bool dry_run) {
    const auto place = [&](const auto& one) {
        return file + ":" + std::to_string(one.line) + ": " + one.key + ": ";
    };
    std::string told;
    for (const auto& left : edit.left) told += place(left) + "left, because " + left.why + "\n";
    if (dry_run) {
        told += unified_diff(file, edit.before, edit.text);
    } else {
        for (const auto& change : edit.changes) {
            told += place(change) + change.before + " -> " + change.after + "\n";
        }
    }
    return told.empty() ? file + ": nothing to change\n" : told;
}

Result<void> change_file(const std::string& file, const YamlEdit& edit) {
    if (edit.changes.empty()) return {};
    std::error_code failed;
    // A second run keeps the first original.
    if (!fs::exists(backup_of(file))) fs::copy_file(file, backup_of(file), failed);
    if (failed) return fail(Errc::unavailable, "The backup cannot be written.", backup_of(file));
    return write_file(file, edit.text);
}

// What was done before a failure, for its message.
Result<std::string> after(const std::string& told, const Error& error) {
    const auto before = told.empty() ? "" : " Before it:\n" + told;
    return fail(error.code, error.message + before, error.where);
}

}  // namespace

Result<Values> recommended_values(const json& report, const std::string& gpu,
                                  const std::string& stage) {
    try {
        const json& summary = report.contains("summary") ? report.at("summary") : report;
        const json* card = named(summary.at("gpus"), "/gpu/id", gpu);
        if (card == nullptr) return fail(Errc::not_found, "The report has no card " + gpu + ".");
        const json* chosen = card;
        if (!stage.empty()) {
            chosen = named(card->at("stages"), "/name", stage);
            if (chosen == nullptr) {
                return fail(Errc::not_found, "The report has no stage \"" + stage + "\".");
            }
        }
        const json& recommended = chosen->at("config_values");
        if (recommended.empty()) {
            return fail(Errc::invalid_input,
                        "The report says that it does not fit: nothing to apply.");
        }
        Values values;
        for (const auto& [name, value] : recommended.items()) {
            values[name] = value.is_number_float() ? training::yaml_number(value) : value.dump();
        }
        return values;
    } catch (const json::exception&) {
        return fail(Errc::invalid_input, "This is no report of a training-config job.");
    }
}

Result<std::string> apply_report(const ApplyRequest& request) {
    Values values;
    if (!request.restore) {
        const auto text = read_file(request.report);
        if (!text) return fail(text.error());
        const auto report = json::parse(*text, nullptr, false);
        auto recommended = recommended_values(report, request.gpu, request.stage);
        if (!recommended) {
            return fail(recommended.error().code, recommended.error().message, request.report);
        }
        values = std::move(*recommended);
    }
    std::string told;
    if (request.restore) {
        for (const auto& file : request.files) {
            if (auto done = restore_file(file); !done) return after(told, done.error());
            told += file + ": restored\n";
        }
        return told;
    }
    // All are read before the first is written: an error in the last leaves all as they were.
    std::vector<FileEdit> edits;
    for (const auto& file : request.files) {
        auto edit = edit_of(file, values);
        if (!edit) return fail(edit.error());
        edits.push_back(std::move(*edit));
    }
    for (std::size_t i = 0; i < edits.size(); ++i) {
        const auto& file = request.files[i];
        if (!request.dry_run) {
            if (auto done = change_file(file, edits[i]); !done) {
                return after(told, done.error());
            }
        }
        told += told_of(file, edits[i], request.dry_run);
    }
    return told;
}

}  // namespace plimsoll::jobs::training_config
