#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
}

namespace plimsoll::app {

// A report's summary for a terminal; empty for kinds whose members read well as they are.
std::string readable_summary(const std::string& kind, const nlohmann::json& summary);

// The commands that answer without a server: estimate, gpu-profiles, guide,
// diagnose, apply and show-config. `json` is
// the global flag, `code` the process's exit code: 0 answered, 1 does not fit or not enough memory,
// 2 bad usage or input. The flags live as long as the process.
void add_advice_commands(CLI::App& app, const bool& json, int& code);

}  // namespace plimsoll::app
