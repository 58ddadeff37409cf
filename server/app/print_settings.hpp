#pragma once

#include "server/app/settings.hpp"

#include <string>

namespace plimsoll::app {

// One "key = value" line per setting, with its help; then the variables that have no effect.
std::string print_settings(const Settings& settings);

// The same for programs.
std::string print_settings_json(const Settings& settings);

}  // namespace plimsoll::app
