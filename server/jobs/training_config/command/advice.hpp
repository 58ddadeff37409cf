#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
}
namespace plimsoll::client {
struct Session;
}

namespace plimsoll::app {

// A report's summary for a terminal; empty for kinds whose members read well as they are.
std::string readable_summary(const std::string& kind, const nlohmann::json& summary);

// The commands that answer without a server: estimate, gpu-profiles, guide,
// diagnose, apply and show-config; and those for the team's own cards, which need one. `code` is
// the process's exit code: 0 answered, 1 does not fit or not enough memory,
// 2 bad usage or input. The flags live as long as the process.
void add_advice_commands(CLI::App& app, const client::Session& session, int& code);

}  // namespace plimsoll::app
