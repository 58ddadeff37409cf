#pragma once

#include "server/app/settings.hpp"
#include "server/base/log.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace plimsoll::app {

// "http://127.0.0.1:7272", from the settings and the port.
std::string address_of(const Settings::Http& http, int port);

log::Level level_of(const Settings::Log& log);

// Called with a name and a URL: "metrics" if they have an address of their own, "sign-in" with the
// one-time link of a new installation, and finally "ready" once requests are accepted.
using Announce = std::function<void(std::string_view what, const std::string& url)>;

// Opens and migrates the database and serves until SIGTERM or SIGINT, then drains; a second signal
// ends it immediately. Errors are start-up errors.
Result<void> serve(const Settings& settings, const Announce& announce);

}  // namespace plimsoll::app
