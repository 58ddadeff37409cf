#include "server/cli/machine/serve.hpp"

#include "server/app/serve.hpp"
#include "server/cli/commands.hpp"
#include "server/cli/machine/doctor.hpp"
#include "server/cli/machine/settings_flags.hpp"
#include "server/terminal/command_context.hpp"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> command_line(const fs::path& process) {
    std::ifstream in(process / "cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
    return words;
}

// The value of a flag, in either way of writing it.
std::string value_of(const std::vector<std::string>& words, std::string_view flag) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == flag && i + 1 < words.size()) return words[i + 1];
        if (words[i].starts_with(std::string(flag) + "=")) return words[i].substr(flag.size() + 1);
    }
    return {};
}

// A line that scripts wait for, at once even in a pipe: "ready http://127.0.0.1:7272".
void announce(const CommandContext& context, std::string_view what, const std::string& url) {
    const auto name = std::string(what);
    context.terminal.line(context.json ? nlohmann::json{{name, url}}.dump() : name + " " + url);
    std::fflush(stdout);
}

}  // namespace

std::vector<ServingProcess> serving_processes() {
    std::vector<ServingProcess> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        const auto name = entry.path().filename().string();
        int id = 0;
        const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), id);
        if (wrong != std::errc{} || end != name.data() + name.size()) continue;
        const auto words = command_line(entry.path());
        if (words.size() < 2 || fs::path(words[0]).filename() != "plimsoll" || words[1] != "serve")
            continue;
        ServingProcess process{id, ""};
        for (const char* flag : {"--data", "--database.data_directory"}) {
            const fs::path folder = value_of(words, flag);
            if (folder.empty()) continue;
            const auto home = fs::read_symlink(entry.path() / "cwd", error);
            process.data_directory = (home / folder).lexically_normal().string();
        }
        found.push_back(std::move(process));
    }
    return found;
}

void add_serve(CLI::App& app, CommandContext& context) {
    add_settings_command(
        app, context, "serve", "Serve the API and the web pages", jobs::kServer,
        [](const CommandContext& running, app::Settings settings) {
            for (const auto& finding : findings_of_kinds(settings))
                if (finding.grade != Finding::Grade::good)
                    settings.notes.push_back(finding.found + " " + finding.advice);
            const auto served = app::serve(
                settings, [&running](auto what, const auto& url) { announce(running, what, url); });
            return served ? 0 : refuse(running, served.error(), terminal::ExitStatus::failed);
        });
}

}  // namespace plimsoll::cli
