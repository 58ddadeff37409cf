#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

// What the operator sets for all jobs of a server or a worker, kind by kind.
namespace plimsoll::jobs {

// Who reads a setting: a command has flags for those that it reads, and no others.
enum Reader : unsigned {
    kServer = 1,   // plimsoll serve
    kWorkers = 2,  // plimsoll-engine, which gets them in its environment
    kDoctor = 4,
    kMigrate = 8,
    kAdmin = 16,
};

struct KindSetting {
    std::string_view key;       // "group.name", unique among all settings
    std::string_view variable;  // environment variable, which passes the value to workers, too
    std::string_view unit;      // type, unit and range in words: "1..600, seconds"
    std::string_view help;
    std::string_view default_value;
    // The value in canonical form; an error's message is the rule: "must be …".
    Result<std::string> (*check)(std::string_view value) = nullptr;
    unsigned readers = kServer;
    // Key of another setting of the kind without which this one has no effect: while that is empty
    // or 0.
    std::string_view needs = {};
};

// A variable of similar programs that has no effect here.
struct UnusedVariable {
    std::string_view name;
    std::string_view why;  // "the first task that needs a model loads it"
};

struct KindSettings {
    std::map<std::string, std::string, std::less<>> values;  // checked, by key
    // A worker's folder of built programs and tuned plans; empty in a server.
    std::filesystem::path cache;

    // The default if none was set.
    std::string_view text(const KindSetting& setting) const;
};
inline const KindSettings kDefaultSettings;

// Adds the values from the environment; an empty variable counts as unset. Errc::invalid_input
// names the variable and its rule.
Result<void> read_environment(std::span<const KindSetting> settings, KindSettings& into);

// For KindSetting::check: any text, or a whole number.
Result<std::string> any_text(std::string_view value);
Result<std::string> whole_number(std::string_view value, int min, int max);

}  // namespace plimsoll::jobs
