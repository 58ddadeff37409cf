#include "server/base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace plimsoll::log {
namespace {

spdlog::level::level_enum to_spdlog(Level level) {
    switch (level) {
        case Level::debug:
            return spdlog::level::debug;
        case Level::info:
            return spdlog::level::info;
        case Level::warn:
            return spdlog::level::warn;
        case Level::error:
            return spdlog::level::err;
    }
    return spdlog::level::info;
}

// A value is quoted when a space, quote or control character would break the line apart.
void append_value(std::string& line, const std::string& value) {
    const bool plain = !value.empty() && value.find_first_of(" \"=\\\n\r\t") == std::string::npos;
    if (plain) {
        line += value;
        return;
    }
    line += '"';
    for (const char c : value) {
        if (c == '"' || c == '\\') line += '\\';
        line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    line += '"';
}

}  // namespace

void start(std::string_view process, Level least) {
    auto logger = std::make_shared<spdlog::logger>(
        std::string(process), std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%-5l%$ [%n] %v", spdlog::pattern_time_type::utc);
    logger->set_level(to_spdlog(least));
    logger->flush_on(spdlog::level::debug);
    spdlog::set_default_logger(std::move(logger));
}

void write(Level level, std::string_view message, std::initializer_list<Field> fields) {
    auto* logger = spdlog::default_logger_raw();
    if (!logger->should_log(to_spdlog(level))) return;
    std::string line(message);
    for (const auto& field : fields) {
        line += ' ';
        line += field.key;
        line += '=';
        append_value(line, field.value);
    }
    logger->log(to_spdlog(level), "{}", line);
}

}  // namespace plimsoll::log
