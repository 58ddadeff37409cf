#include "server/terminal/command_context.hpp"

#include "server/terminal/field_flags.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

int refuse(const CommandContext& context, const Error& given, std::optional<ExitStatus> status) {
    const auto error = context.inputs ? in_inputs(given, context.inputs()) : given;
    if (context.json) {
        const nlohmann::json body{
            {"code", to_string(error.code)}, {"message", error.message}, {"where", error.where}};
        context.terminal.note(nlohmann::json{{"error", body}}.dump());
    } else {
        const std::string place = error.where.empty() ? "" : " (" + error.where + ")";
        context.terminal.note(context.terminal.paint(Style::bad, "Error: ") + error.message +
                              place);
    }
    return static_cast<int>(status.value_or(exit_status_of(given.code)));
}

}  // namespace plimsoll::terminal
