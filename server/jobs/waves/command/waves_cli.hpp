#pragma once

#include "server/client/session.hpp"

#include <CLI/CLI.hpp>

namespace plimsoll::app {

// `plimsoll waves FILE…`: counts Elliott waves in price files on this machine, without a server.
// Sets `code` to the exit code when it ran.
void add_waves_command(CLI::App& app, const client::Session& session, int& code);

}  // namespace plimsoll::app
