#pragma once

#include "engine/base/result.hpp"

#include <span>
#include <string>
#include <string_view>

namespace plimsoll::outbound {

// How an S3-compatible store is reached.
struct ObjectSettings {
    std::string url;     // of the bucket; empty: there is no store
    std::string prefix;  // of all names
    std::string region;
    std::string access_key;
    std::string secret_key;
    std::string secret_key_file;
    std::string ca_file;
};

struct ObjectSetting {
    std::string_view key;
    std::string_view variable;
    std::string_view unit;
    std::string_view help;
    std::string ObjectSettings::* member;
    std::string_view fallback{};
    bool is_secret = false;
    std::string (*broken_rule)(const std::string&) = nullptr;  // empty: none
};

// The settings objects.*, for the server, its workers and their documentation.
std::span<const ObjectSetting> object_settings();

// Those of this process's environment.
ObjectSettings object_settings_of_environment();

// What the file holds, without the line feed at its end; without a file, `value`.
// Errc::invalid_input names `setting`, which is the file's.
Result<std::string> secret_of(const std::string& value, const std::string& file,
                              const std::string& setting);

}  // namespace plimsoll::outbound
