#include "server/app/apply.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace plimsoll::app {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using Values = std::map<std::string, std::string, std::less<>>;

Result<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    if (!(file && text << file.rdbuf())) {
        return fail(Errc::not_found, "The file cannot be read.", path);
    }
    return text.str();
}

// Whole or not at all: written beside the file, with its rights, and then moved over it.
Result<void> write_file(const std::string& path, const std::string& text) {
    const auto fresh = path + ".new";
    std::error_code failed;
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

std::string rate_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

std::string backup_of(const std::string& file) {
    return file + ".backup";
}

Result<std::string> restore_file(const std::string& file) {
    std::error_code failed;
    fs::rename(backup_of(file), file, failed);
    if (failed) return fail(Errc::not_found, "There is no backup to restore.", backup_of(file));
    return file + ": restored\n";
}

Result<std::string> apply_to(const std::string& file, const Values& values, bool dry_run) {
    const auto text = read_file(file);
    if (!text) return fail(text.error());
    const auto edit = edit_yaml(*text, values);
    if (!edit) return fail(edit.error().code, edit.error().message, file);
    std::string told;
    for (const auto& change : edit->changes) {
        told += file + ":" + std::to_string(change.line) + ": " + change.key + ": " +
                change.before + " -> " + change.after + "\n";
    }
    if (edit->changes.empty()) return file + ": nothing to change\n";
    if (dry_run) return told;
    std::error_code failed;
    // A second run keeps the first original.
    if (!fs::exists(backup_of(file))) fs::copy_file(file, backup_of(file), failed);
    if (failed) return fail(Errc::unavailable, "The backup cannot be written.", backup_of(file));
    if (const auto written = write_file(file, edit->text); !written) return fail(written.error());
    return told;
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
            values[name] = value.is_number_float() ? rate_text(value) : value.dump();
        }
        return values;
    } catch (const json::exception&) {
        return fail(Errc::invalid_input, "This is no report of a training-config job.");
    }
}

Result<std::string> apply(const ApplyRequest& request) {
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
    for (const auto& file : request.files) {
        const auto done =
            request.restore ? restore_file(file) : apply_to(file, values, request.dry_run);
        if (!done) {
            const auto before = told.empty() ? "" : " Before it:\n" + told;
            return fail(done.error().code, done.error().message + before, done.error().where);
        }
        told += *done;
    }
    return told;
}

}  // namespace plimsoll::app
