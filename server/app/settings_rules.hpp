#pragma once

#include "server/app/settings.hpp"

#include <functional>
#include <map>
#include <string>

namespace plimsoll::app {

// Where the value of each given setting comes from, by key: a file, a variable or a flag.
using Sources = std::map<std::string, std::string, std::less<>>;

// The rules between settings, among them that each given setting has an effect on its reader.
// Errc::invalid_input names the setting and its source; what only waits for another one, and is no
// flag, becomes a note.
Result<void> check_together(Settings& settings, const Sources& sources, jobs::Reader reader);

}  // namespace plimsoll::app
