#pragma once

#include "server/client/session.hpp"

namespace CLI {
class App;
}

namespace plimsoll::app {

// `plimsoll profile`, which sets `code`.
void add_profile_command(CLI::App& app, client::Session& session, int& code);

// `plimsoll baselines …`, the same.
void add_baseline_commands(CLI::App& app, client::Session& session, int& code);

}  // namespace plimsoll::app
