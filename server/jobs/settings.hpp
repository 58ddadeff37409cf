#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

// What an administrator settles for all jobs of a server or a worker, kind by kind.
namespace plimsoll::jobs {

struct KindSetting {
    std::string_view key;       // "group.name", of all settings together each once
    std::string_view variable;  // of the environment: how workers get it, too
    std::string_view unit;      // type, unit and range in words: "1..600, s"
    std::string_view help;
    std::string_view usual;  // the default
    // The value as it is kept; an error's message is the rule: "must be …".
    Result<std::string> (*check)(std::string_view value) = nullptr;
};

// A variable that programs like ours look at and this one does not.
struct UnusedVariable {
    std::string_view name;
    std::string_view why;  // "the first task that needs a model loads it"
};

struct KindSettings {
    std::map<std::string, std::string, std::less<>> values;  // checked, by key
    // Where a worker keeps built programs and tuned plans; empty in a server.
    std::filesystem::path cache;

    // The usual value where none was settled.
    std::string_view text(const KindSetting& setting) const;
};
inline const KindSettings kUsualSettings;

// Adds what the environment says of these; a variable that is empty is as one that is not set.
// Errc::invalid_input names the variable and its rule.
Result<void> read_environment(std::span<const KindSetting> settings, KindSettings& into);

// For KindSetting::check: any text, and a whole number.
Result<std::string> any_text(std::string_view value);
Result<std::string> whole_number(std::string_view value, int least, int most);

}  // namespace plimsoll::jobs
