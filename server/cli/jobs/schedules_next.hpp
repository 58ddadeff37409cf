#pragma once

namespace CLI {
class App;
}
namespace plimsoll::terminal {
struct CommandContext;
}

namespace plimsoll::cli {

// `plimsoll schedules next`, which needs no server.
void add_schedules_next(CLI::App& group, terminal::CommandContext& context);

}  // namespace plimsoll::cli
