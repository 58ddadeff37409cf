#pragma once

#include "server/app/settings.hpp"

namespace plimsoll::app {

// Opens and migrates the database and serves until SIGTERM or SIGINT, then drains; a second signal
// ends at once. Errors are those of the start.
Result<void> serve(const Settings& settings);

}  // namespace plimsoll::app
