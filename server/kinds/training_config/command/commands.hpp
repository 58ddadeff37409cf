#pragma once

#include "server/kinds/training_config/command/given_arguments.hpp"
#include "server/kinds/training_config/contract/request.hpp"
#include "server/terminal/command_context.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace CLI {
class App;
}

// The commands of this kind. All but `gpu-profiles add`, `remove` and `own` work without a server.
namespace plimsoll::jobs::training_config {

using terminal::CommandContext;

void add_estimate(CLI::App& app, CommandContext& context);
void add_gpu_profiles(CLI::App& app, CommandContext& context);
void add_guide(CLI::App& app, CommandContext& context);
void add_diagnose(CLI::App& app, CommandContext& context);
void add_compare_memory(CLI::App& app, CommandContext& context);
void add_apply(CLI::App& app, CommandContext& context);
void add_check(CLI::App& app, CommandContext& context);
void add_show_config(CLI::App& app, CommandContext& context);

// `gpu-profiles add`, `remove` and `own`: the team's own cards on the server that the user is
// signed in to.
void add_team_gpu_profiles(CLI::App& gpu_profiles, CommandContext& context);

// Checked like the API's: first against openapi.yaml, then by the kind.
tl::expected<Request, FieldErrors> checked_request(const nlohmann::json& args);
// Likewise, for settings that were read from files of others: some may have no effect.
tl::expected<Request, FieldErrors> checked_run(const nlohmann::json& args);

struct EstimateRequest {
    nlohmann::json args = nlohmann::json::object();
    std::string file = {};  // with other arguments; empty: none
    GivenArguments given;   // override both
};
// Errors of both name the file or the flag.
Result<Request> requested(const EstimateRequest& request);
// The TrainingConfigSummary that a server would answer.
Result<nlohmann::json> estimated(const EstimateRequest& request);

// What a command without a server tells: for programs, and for people.
struct Answer {
    nlohmann::json value;
    std::string text;
    terminal::ExitStatus status = terminal::ExitStatus::done;
};
void answer(CommandContext& context, const Result<Answer>& told);

// For commands without a server, every error is invalid usage or input: exit code 2.
int refuse_input(const CommandContext& context, const Error& error);
void print(const std::string& text);

}  // namespace plimsoll::jobs::training_config
