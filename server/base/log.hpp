#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

// One line per event, "key=value" after the message, on standard error. A thin wrapper, so that
// only this folder includes spdlog's headers. Never pass texts, tokens or passwords.

namespace plimsoll::log {

enum class Format {
    text,  // 2026-03-01T12:00:00.000Z info  [serve] message key=value
    json,  // {"time":"…","level":"info","process":"serve","message":"…","key":"value"}
};

std::optional<Format> parse_format(std::string_view name);

// Sets the format of all later lines. Call before log::start.
void set_format(Format format);

enum class Level { debug, info, warn, error };

struct Field {
    std::string_view key;
    std::string value;
};

// at_once: every line is written before the call returns, so none is lost in a crash. gathered: for
// busy processes; lines within a few milliseconds of one another are written together, unless
// standard error is a terminal. Warnings and errors are always written immediately.
enum class Lines { at_once, gathered };

// `process` names the writer in every line ("serve", "worker host").
void start(std::string_view process, Level min, Lines lines = Lines::at_once);

// Lets a caller skip building the fields of a line that would be discarded.
bool is_written(Level level);

void write(Level level, std::string_view message, std::initializer_list<Field> fields = {});

inline void debug(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(Level::debug, message, fields);
}
inline void info(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(Level::info, message, fields);
}
inline void warn(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(Level::warn, message, fields);
}
inline void error(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(Level::error, message, fields);
}

}  // namespace plimsoll::log
