#include "server/terminal/command_context.hpp"

namespace plimsoll::terminal {
namespace {

int exit_code_of(Errc code) {
    switch (code) {
        case Errc::unauthenticated:
        case Errc::forbidden:
            return 3;
        case Errc::unavailable:
        case Errc::timeout:
        case Errc::exhausted:
            return 4;
        default:
            return 2;
    }
}

}  // namespace

int refuse(const CommandContext& context, const Error& error) {
    return refuse(context, error, exit_code_of(error.code));
}

int refuse(const CommandContext& context, const Error& error, int exit_code) {
    const std::string place = error.where.empty() ? "" : " (" + error.where + ")";
    context.terminal.note(context.terminal.paint(Style::bad, "Error: ") + error.message + place);
    return exit_code;
}

}  // namespace plimsoll::terminal
