#include "server/jobs/command.hpp"

#include "server/kinds/sentiment/command/commands.hpp"
#include "server/kinds/sentiment/command/compared_text.hpp"
#include "server/kinds/sentiment/command/examine.hpp"
#include "server/kinds/sentiment/command/scored_text.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

void add(CLI::App& app, terminal::CommandContext& context) {
    add_policy_commands(app, context);
    add_score_command(app, context);
    add_compare_command(app, context);
}

}  // namespace

std::string summary_text(const nlohmann::json& summary, std::size_t width) {
    const auto& compared = summary.at("compared");
    return compared.is_null() ? scored_text(summary, width) : compared_text(compared, width);
}

constinit extern const Command kCommand{.kind = kName,
                                        .add_local = add_model_commands,
                                        .add = add,
                                        .summary_text = summary_text,
                                        .examine = examine};

}  // namespace plimsoll::jobs::sentiment
