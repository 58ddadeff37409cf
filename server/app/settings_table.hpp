#pragma once

#include "engine/base/result.hpp"
#include "server/app/settings.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

// The table of all settings, for loading and printing them, and how it is written.

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

bool is_loopback(const std::string& host);

// The rule that a text breaks; empty: none.
std::string set_number(int& target, const std::string& text, int min, int max);
std::string set_flag(bool& target, const std::string& text);

template <class Group>
Entry text(Setting about, std::string_view fallback, Group Settings::* group,
           std::string Group::* member, bool secret = false) {
    return {about, fallback, secret,
            [=](Settings& s, const std::string& value) {
                s.*group.*member = value;
                return std::string{};
            },
            [=](const Settings& s) { return s.*group.*member; }};
}

template <class Group>
Entry number(Setting about, std::string_view fallback, int min, int max, Group Settings::* group,
             int Group::* member) {
    return {about, fallback, false,
            [=](Settings& s, const std::string& value) {
                return set_number(s.*group.*member, value, min, max);
            },
            [=](const Settings& s) { return std::to_string(s.*group.*member); }};
}

template <class Group>
Entry flag(Setting about, std::string_view fallback, Group Settings::* group,
           bool Group::* member) {
    return {
        about, fallback, false,
        [=](Settings& s, const std::string& value) { return set_flag(s.*group.*member, value); },
        [=](const Settings& s) { return std::string(s.*group.*member ? "true" : "false"); }};
}

template <class T>
std::string broken_rule(const Result<T>& parsed) {
    return parsed ? std::string() : parsed.error().message;
}

// Of sign-in with an identity provider.
std::vector<Entry> oidc_entries();

// One "key = value" line per setting, with its help; then the variables that have no effect.
std::string print_settings(const Settings& settings);

// The same for programs.
std::string print_settings_json(const Settings& settings);

}  // namespace plimsoll::app
