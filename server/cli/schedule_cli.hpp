#pragma once

#include "server/client/session.hpp"

#include <CLI/CLI.hpp>

namespace plimsoll::app {

// `plimsoll schedules …`. `next` answers without a server. Sets `code` to the exit code when one
// ran.
void add_schedule_commands(CLI::App& app, const client::Session& session, int& code);

}  // namespace plimsoll::app
