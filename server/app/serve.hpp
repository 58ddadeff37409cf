#pragma once

#include "server/app/announce.hpp"
#include "server/app/settings.hpp"

namespace plimsoll::app {

// Opens and migrates the database and serves until SIGTERM or SIGINT, then drains; a second signal
// ends it immediately. Errors are start-up errors.
Result<void> serve(const Settings& settings, const Announce& announce);

}  // namespace plimsoll::app
