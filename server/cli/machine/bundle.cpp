#include "server/cli/machine/bundle.hpp"

#include "engine/base/json.hpp"
#include "server/app/settings_table.hpp"
#include "server/base/time.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char** environ;

namespace plimsoll::cli {
namespace {

// Shorter values also occur in too many unrelated places.
constexpr std::size_t kShortestSecret = 6;
constexpr std::string_view kRemoved = "(removed)";

struct Variable {
    std::string name;
    std::string value;
};

std::vector<Variable> environment() {
    std::vector<Variable> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const auto equals = text.find('=');
        if (equals == std::string::npos) continue;
        all.push_back({text.substr(0, equals), text.substr(equals + 1)});
    }
    return all;
}

bool names_a_secret(const std::string& name) {
    constexpr std::array kWords = {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "CREDENTIAL"};
    return std::ranges::any_of(
        kWords, [&](const char* word) { return name.find(word) != std::string::npos; });
}

// The settings' own, and those that drivers and clients of PostgreSQL look at.
bool concerns_us(const std::string& name) {
    constexpr std::array kStarts = {"PLIMSOLL_", "OCL_", "POCL_", "CUDA_", "PG"};
    const auto starts = [&](const char* start) { return name.starts_with(start); };
    const auto& settings = app::all_settings();
    return std::ranges::any_of(kStarts, starts) ||
           std::ranges::any_of(settings, [&](const auto& it) { return it.environment == name; });
}

std::string without_secrets(std::string text) {
    for (const auto& [name, value] : environment()) {
        if (!names_a_secret(name) || value.size() < kShortestSecret) continue;
        // Continues after the replacement, which may contain the value itself.
        for (auto at = text.find(value); at != std::string::npos;
             at = text.find(value, at + kRemoved.size()))
            text.replace(at, value.size(), kRemoved);
    }
    // https://user:password@host/path?key=value
    static const std::regex user(R"((://)[^/@\s",]*@)");
    static const std::regex query(R"((://[^?\s",]*)\?[^\s",\\]*)");
    text = std::regex_replace(text, user, "$1(removed)@");
    return std::regex_replace(text, query, "$1?(removed)");
}

std::string first_lines(const char* file, std::size_t max) {
    std::ifstream in(file);
    std::string text(max, '\0');
    in.read(text.data(), static_cast<std::streamsize>(max));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

json system_facts(const DoctorFacts& facts) {
    utsname about{};
    uname(&about);
    return {
        {"kernel", std::string(about.sysname) + " " + about.release + " " + about.version},
        {"architecture", about.machine},
        {"distribution", first_lines("/etc/os-release", 2000)},
        {"processors", std::thread::hardware_concurrency()},
        {"memory_free_bytes",
         facts.memory_free_bytes ? json(*facts.memory_free_bytes) : json(nullptr)},
        {"disk_free_bytes", facts.disk_free_bytes ? json(*facts.disk_free_bytes) : json(nullptr)}};
}

}  // namespace

std::string bundle_text(const DoctorFacts& facts, const std::vector<Finding>& findings,
                        const app::Settings& settings) {
    json names = json::array();
    for (const auto& variable : environment())
        if (concerns_us(variable.name)) names.push_back(variable.name);
    json shown = json::array();
    std::istringstream lines(app::print_settings(settings));
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("    #")) shown.push_back(line);
    json probe = facts.probe ? json::parse(*facts.probe, nullptr, false) : json();
    if (probe.is_discarded()) probe = *facts.probe;
    if (!facts.probe) probe = facts.probe.error().message;
    const json bundle = {
        {"plimsoll", facts.version},       {"made_at", to_rfc3339(SystemClock().now())},
        {"system", system_facts(facts)},   {"settings", std::move(shown)},
        {"environment", std::move(names)}, {"findings", findings_json(findings)},
        {"devices", std::move(probe)}};
    return without_secrets(bundle.dump(2, ' ', false, json::error_handler_t::replace)) + "\n";
}

Result<void> write_bundle(const std::string& file, const std::string& text) {
    const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (out < 0) {
        return fail(errno == EEXIST ? Errc::conflict : Errc::invalid_input,
                    "The bundle cannot be written: " + std::string(std::strerror(errno)) + ".",
                    file);
    }
    const auto written = write(out, text.data(), text.size());
    const bool closed = close(out) == 0;
    if (written != static_cast<ssize_t>(text.size()) || !closed)
        return fail(Errc::invalid_input, "The bundle cannot be written completely.", file);
    return {};
}

}  // namespace plimsoll::cli
