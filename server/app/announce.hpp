#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace plimsoll::app {

// Called with a name and a URL: "metrics" if they have an address of their own, "sign-in" with the
// one-time link of a new installation, and finally "ready" once requests are accepted.
using Announce = std::function<void(std::string_view what, const std::string& url)>;

}  // namespace plimsoll::app
