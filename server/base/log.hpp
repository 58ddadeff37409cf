#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

// One line per event, "key=value" after the message, on standard error. A thin front, so that
// spdlog's headers are read in this folder only. Never pass texts, tokens or passwords.
namespace plimsoll::log {

enum class Level { debug, info, warn, error };

struct Field {
    std::string_view key;
    std::string value;
};

// at_once: whatever ends the process, its last line was written. gathered: for a process of many
// lines, those that come within a few milliseconds of one another are written together, unless
// somebody looks on at a terminal; warnings and errors are written at once.
enum class Lines { at_once, gathered };

// `process` names the writer in every line ("serve", "worker host").
void start(std::string_view process, Level least, Lines lines = Lines::at_once);

// For who would have to make the fields of a line that nobody asked for.
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
