#pragma once

#include "server/terminal/command_context.hpp"

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace CLI {
class App;
}

// All commands except those of the job kinds, which come from server/kinds/kinds.inc.
namespace plimsoll::cli {

using terminal::CommandContext;
using terminal::need;
using terminal::Refused;

// Adds a command, or a group of commands, to the program. Flag values live in the command's
// callbacks, which set the exit code in `context`; it outlives `app`.
using AddCommand = void(CLI::App& app, CommandContext& context);

AddCommand add_help;
AddCommand add_completion;
AddCommand add_manual;
AddCommand add_mcp;
AddCommand add_serve;
AddCommand add_engine;
AddCommand add_migrate;
AddCommand add_doctor;
AddCommand add_admin;
AddCommand add_login;
AddCommand add_logout;
AddCommand add_use;
AddCommand add_whoami;
AddCommand add_password;
AddCommand add_second_factor;
AddCommand add_submit;
AddCommand add_submit_bundle;
AddCommand add_datasets;
AddCommand add_jobs;
AddCommand add_watch;
AddCommand add_why;
AddCommand add_tasks;
AddCommand add_logs;
AddCommand add_cancel;
AddCommand add_redrive;
AddCommand add_report;
AddCommand add_results;
AddCommand add_links;
AddCommand add_devices;
AddCommand add_baselines;
AddCommand add_queue;
AddCommand add_usage;
AddCommand add_audit;
AddCommand add_tokens;
AddCommand add_service_accounts;
AddCommand add_invitations;
AddCommand add_webhooks;
AddCommand add_schedules;

// key=value each; Refused: one has another form, or a key comes twice.
nlohmann::json labels_of(const std::vector<std::string>& given);

void show_report(const CommandContext& context, const nlohmann::json& report);

struct Group {
    const char* heading;
    std::span<AddCommand* const> commands;
};

namespace groups {

inline constexpr AddCommand* kJobs[] = {add_submit,  add_submit_bundle, add_jobs,    add_watch,
                                        add_why,     add_tasks,         add_logs,    add_cancel,
                                        add_redrive, add_report,        add_results, add_links};
inline constexpr AddCommand* kTeam[] = {
    add_datasets,    add_schedules, add_webhooks, add_service_accounts,
    add_invitations, add_baselines, add_usage,    add_audit};
inline constexpr AddCommand* kPool[] = {add_devices, add_queue};
inline constexpr AddCommand* kSignIn[] = {add_login,    add_logout,        add_use,   add_whoami,
                                          add_password, add_second_factor, add_tokens};
inline constexpr AddCommand* kMachine[] = {add_serve, add_engine, add_migrate, add_admin,
                                           add_doctor};
inline constexpr AddCommand* kProgram[] = {add_help, add_completion, add_manual, add_mcp};

}  // namespace groups

// In the order of `plimsoll --help`.
inline constexpr Group kGroups[] = {
    {"Jobs", groups::kJobs},
    {"The team's data, schedules and webhooks", groups::kTeam},
    {"Devices and the queue", groups::kPool},
    {"Signing in, and tokens", groups::kSignIn},
    {"Running a server", groups::kMachine},
    {"This program", groups::kProgram},
};

}  // namespace plimsoll::cli
