#include "server/base/log.hpp"

#include "server/base/gathering_sink.hpp"
#include "server/base/time.hpp"

#include <nlohmann/json.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace plimsoll::log {
namespace {

Format chosen_format = Format::text;

spdlog::level::level_enum to_spdlog(Level level) {
    switch (level) {
        case Level::debug: return spdlog::level::debug;
        case Level::info: return spdlog::level::info;
        case Level::warn: return spdlog::level::warn;
        case Level::error: return spdlog::level::err;
    }
    return spdlog::level::info;
}

std::string_view name_of(Level level) {
    constexpr std::string_view kNames[] = {"debug", "info", "warn", "error"};
    return kNames[static_cast<int>(level)];
}

// The length of a control character at `at`, which a terminal would obey; 0: there is none.
std::size_t control_at(std::string_view text, std::size_t at) {
    const auto byte = [text](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0xffU;
    };
    if (byte(at) < 0x20 || byte(at) == 0x7f) return 1;
    return byte(at) == 0xc2 && byte(at + 1) < 0xa0 ? 2 : 0;  // U+0080 to U+009F
}

bool is_plain(std::string_view value) {
    for (std::size_t i = 0; i < value.size(); ++i)
        if (control_at(value, i) > 0) return false;
    return !value.empty() && value.find_first_of(" \"=\\") == std::string_view::npos;
}

// A value is quoted when a space, quote or control character would break the line apart.
void append_value(std::string& line, std::string_view value) {
    if (is_plain(value)) {
        line += value;
        return;
    }
    line += '"';
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (const auto control = control_at(value, i); control > 0) {
            line += ' ';
            i += control - 1;
            continue;
        }
        if (value[i] == '"' || value[i] == '\\') line += '\\';
        line += value[i];
    }
    line += '"';
}

std::string text_line(std::string_view message, std::initializer_list<Field> fields) {
    std::string line(message);
    for (const auto& field : fields) {
        line += ' ';
        line += field.key;
        line += '=';
        append_value(line, field.value);
    }
    return line;
}

std::string json_line(const std::string& process, Level level, std::string_view message,
                      std::initializer_list<Field> fields) {
    nlohmann::ordered_json line = {{"time", to_rfc3339(SystemClock().now())},
                                   {"level", name_of(level)},
                                   {"process", process},
                                   {"message", message}};
    for (const auto& field : fields) line[std::string(field.key)] = field.value;
    // Invalid UTF-8 is replaced: a path or a reason may contain arbitrary bytes.
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string line_of(const std::string& process, Level level, std::string_view message,
                    std::initializer_list<Field> fields) {
    return chosen_format == Format::json ? json_line(process, level, message, fields)
                                         : text_line(message, fields);
}

spdlog::sink_ptr make_sink(const std::string& process, Lines lines) {
    if (isatty(STDERR_FILENO) == 0) {
        return std::make_shared<GatheringSink>(STDERR_FILENO, lines, [process](std::size_t count) {
            return line_of(process, Level::warn,
                           "log lines were dropped: they could not be written",
                           {{"lines", std::to_string(count)}});
        });
    }
    return std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
}

}  // namespace

std::optional<Format> parse_format(std::string_view name) {
    if (name == "text") return Format::text;
    if (name == "json") return Format::json;
    return std::nullopt;
}

void set_format(Format format) { chosen_format = format; }

void start(std::string_view process, Level min, Lines lines) {
    // Of a busy process that starts again, for another level, other threads may be about to write.
    if (auto* running = spdlog::default_logger_raw();
        running->name() == process && lines == Lines::gathered)
        return running->set_level(to_spdlog(min));
    auto logger = std::make_shared<spdlog::logger>(std::string(process),
                                                   make_sink(std::string(process), lines));
    logger->set_pattern(
        chosen_format == Format::json ? "%v" : "%Y-%m-%dT%H:%M:%S.%eZ %^%-5l%$ [%n] %v",
        spdlog::pattern_time_type::utc);
    logger->set_level(to_spdlog(min));
    spdlog::set_default_logger(std::move(logger));
}

bool is_written(Level level) { return spdlog::default_logger_raw()->should_log(to_spdlog(level)); }

void write(Level level, std::string_view message, std::initializer_list<Field> fields) {
    if (!is_written(level)) return;
    auto* logger = spdlog::default_logger_raw();
    logger->log(to_spdlog(level), "{}", line_of(logger->name(), level, message, fields));
}

}  // namespace plimsoll::log
