#include "server/jobs/command.hpp"

#include "server/jobs/sentiment/command/commands.hpp"
#include "server/jobs/sentiment/command/compared_text.hpp"
#include "server/jobs/sentiment/command/examine.hpp"
#include "server/jobs/sentiment/contract/texts.hpp"

namespace plimsoll::jobs::sentiment {
namespace {

void add(CLI::App& app, terminal::CommandContext& context) {
    add_model_commands(app, context);
    add_policy_commands(app, context);
    add_score_command(app, context);
    add_compare_command(app, context);
}

}  // namespace

constinit extern const Command kCommand{
    .kind = kName, .add = add, .summary_text = summary_text, .examine = examine};

}  // namespace plimsoll::jobs::sentiment
