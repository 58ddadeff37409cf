#pragma once

#include "server/app/settings.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

// The table of all settings, for loading and printing them.
namespace plimsoll::app {

struct Entry {
    Setting about;
    std::string_view fallback;
    bool secret;
    // Sets the value or says which rule it breaks.
    std::function<std::string(Settings&, const std::string&)> set;
    std::function<std::string(const Settings&)> get;
};

const std::vector<Entry>& table();

// An IPv6 address may be written as in a URL.
std::string without_brackets(const std::string& host);

}  // namespace plimsoll::app
