#include "server/cli/machine/settings_flags.hpp"

#include "server/app/settings_table.hpp"
#include "server/terminal/command_context.hpp"

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {

void SettingsFlags::add_to(CLI::App& command) {
    command.add_option("--config", file_, "YAML file of settings")->check(CLI::ExistingFile);
    // Workers of this machine run under the server, and read their settings there.
    const unsigned readers = reader_ | (reader_ == jobs::kServer ? jobs::kWorkers : 0U);
    for (const auto& setting : app::all_settings()) {
        if ((setting.readers & readers) == 0) continue;
        const std::string key(setting.key);
        std::string names = "--" + key;
        if (key == "http.host") names += ",--host";
        if (key == "http.port") names += ",--port";
        if (key == "database.data_directory") names += ",--data";
        if (key == "log.format") names += ",--log-format";
        auto& flag = flags_[key];
        flag.option = command.add_option(names, flag.value, std::string(setting.help))
                          ->type_name(std::string(setting.unit))
                          ->group("Settings");
    }
    if (reader_ == jobs::kServer) {
        command.add_flag("--insecure-http", insecure_, "Same as --http.insecure true")
            ->excludes(command.get_option("--http.insecure"));
    }
}

app::Settings SettingsFlags::load() const {
    std::vector<app::Assignment> flags;
    for (const auto& [key, flag] : flags_)
        if (!flag.option->empty()) flags.push_back({key, flag.value});
    if (insecure_) flags.push_back({"http.insecure", "true"});
    return terminal::need(app::load_settings(file_, flags, reader_), terminal::ExitStatus::usage);
}

CLI::App* add_settings_command(CLI::App& app, terminal::CommandContext& context, const char* name,
                               const char* help, jobs::Reader reader, RunWithSettings run) {
    const auto flags = std::make_shared<SettingsFlags>(reader);
    auto* command = app.add_subcommand(name, help);
    flags->add_to(*command);
    const auto print = std::make_shared<bool>(false);
    const auto check = std::make_shared<bool>(false);
    auto* printing = command->add_flag("--print-config", *print, "Print all settings and exit");
    command->add_flag("--check-config", *check, "Check all settings and exit")->excludes(printing);
    command->callback([&context, flags, print, check, run = std::move(run)] {
        const auto settings = flags->load();
        if (*print) {
            const auto text =
                context.json ? app::print_settings_json(settings) : app::print_settings(settings);
            std::fputs(text.c_str(), stdout);
        } else if (*check) {
            for (const auto& note : settings.notes) context.terminal.note(note);
        } else {
            context.exit_code = run(context, settings);
        }
    });
    return command;
}

}  // namespace plimsoll::cli
