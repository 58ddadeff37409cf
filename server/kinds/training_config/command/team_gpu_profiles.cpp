#include "engine/base/json.hpp"
#include "server/client/session.hpp"
#include "server/kinds/training_config/command/commands.hpp"
#include "server/terminal/list.hpp"

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::training_config {
namespace {

std::string path_of(const std::string& id) { return "/v1/gpu-profiles/" + id; }

// `file` holds a GpuProfilePut of the contract.
int put(const CommandContext& context, const std::string& id, const std::string& file) {
    std::ifstream input(file);
    std::stringstream text;
    if (!(input && text << input.rdbuf()))
        return refuse(context, {Errc::not_found, "The file cannot be read.", file});
    if (!json::accept(text.str()))
        return refuse(context, {Errc::invalid_input, "The file is not JSON.", file});
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    auto made = api->send("PUT", path_of(id), text.str(), {{"content-type", "application/json"}});
    if (!made) return refuse(context, made.error());
    context.terminal.line(context.json ? made->body : id + " can be used in the team's jobs");
    return 0;
}

int remove(const CommandContext& context, const std::string& id) {
    remove_item(context, "/v1/gpu-profiles", id);
    return 0;
}

int list(const CommandContext& context) {
    auto api = client::signed_in();
    if (!api) return refuse(context, api.error());
    auto list = api->get_json("/v1/gpu-profiles");
    if (!list) return refuse(context, list.error());
    json own = json::array();
    for (const auto& card : list->at("items"))
        if (card.value("custom", false)) own.push_back(card);
    if (context.json) {
        context.terminal.line(own.dump(2));
        return 0;
    }
    std::vector<std::vector<std::string>> rows = {{"PROFILE", "NAME", "MEMORY"}};
    for (const auto& card : own) {
        char memory[32];
        std::snprintf(memory, sizeof memory, "%.1f GiB",
                      card.at("memory_bytes").at("value").get<double>() / (1 << 30));
        rows.push_back({card.at("id"), card.at("name"), memory});
    }
    context.terminal.line(rows.size() > 1
                              ? format_table(context.terminal, rows)
                              : "No team GPU profiles yet: plimsoll gpu-profiles add …");
    return 0;
}

}  // namespace

void add_team_gpu_profiles(CLI::App& gpu_profiles, CommandContext& context) {
    struct Flags {
        std::string id;
        std::string file;
    };
    const auto flags = std::make_shared<Flags>();
    auto* add_command = gpu_profiles.add_subcommand("add", "Add a team GPU profile to the server");
    add_command->add_option("profile", flags->id, "Name that jobs use, for example lab_card")
        ->required();
    add_command->add_option("file", flags->file, "JSON: memory_gib, bandwidth_gb_s, fp32_tflops…")
        ->required()
        ->check(CLI::ExistingFile);
    add_command->callback(
        [flags, &context] { context.exit_code = put(context, flags->id, flags->file); });
    auto* remove_command = gpu_profiles.add_subcommand("remove", "Remove a team GPU profile");
    remove_command->add_option("profile", flags->id, "ID of the GPU profile")->required();
    remove_command->callback([flags, &context] { context.exit_code = remove(context, flags->id); });
    gpu_profiles.add_subcommand("own", "List the team's GPU profiles")->callback([&context] {
        context.exit_code = list(context);
    });
}

}  // namespace plimsoll::jobs::training_config
