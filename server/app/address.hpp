#pragma once

#include "server/app/settings.hpp"

#include <string>

namespace plimsoll::app {

// "http://127.0.0.1:7272", from the settings and the port.
std::string address_of(const Settings::Http& http, int port);

}  // namespace plimsoll::app
