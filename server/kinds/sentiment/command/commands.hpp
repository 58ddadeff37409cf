#pragma once

#include "server/terminal/command_context.hpp"

#include <cstddef>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
}

// The kind's own commands.
namespace plimsoll::jobs::sentiment {

void add_model_commands(CLI::App& app, terminal::CommandContext& context);
void add_policy_commands(CLI::App& app, terminal::CommandContext& context);
void add_policy_report_command(CLI::App& policy, terminal::CommandContext& context);
void add_score_command(CLI::App& app, terminal::CommandContext& context);
void add_compare_command(CLI::App& app, terminal::CommandContext& context);

// A report's summary with tables of this many columns (0: unlimited).
std::string summary_text(const nlohmann::json& summary, std::size_t width);

}  // namespace plimsoll::jobs::sentiment
