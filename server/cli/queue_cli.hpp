#pragma once

#include "server/client/session.hpp"

namespace CLI {
class App;
}

namespace plimsoll::app {

// `plimsoll queue …`: shares, quotas and holds. What the flags are read into lives as long as
// `app`.
void add_queue_commands(CLI::App& app, client::Session& session, int& code);

// `plimsoll usage`.
void add_usage_command(CLI::App& app, client::Session& session, int& code);

}  // namespace plimsoll::app
